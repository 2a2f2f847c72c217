"""Speed of the LRU algebra, each beside a named yardstick measured in the same run.

    python benchmarks/bench_lru.py [--urls 200000] [--hosts 20000] [--json]

CPU microseconds a call, the least of five passes; those of a pair take turns, so both see the same machine.
"""

import argparse
import json
import random
import time
import urllib.parse
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass

from memory_structure.creation_rules import HYPHE_DEFAULT_RULES, RuleSet
from memory_structure.lru import UrlCutter, head_of, join_url, lru_to_url
from memory_structure.prefixes import PrefixMap, variations

SUFFIXES = ["com", "org", "net", "fr", "de", "co.uk", "com.au", "gouv.fr", "info", "github.io", "it", "co.jp"]
WORDS = "politique climat recherche web archive data press carte actualites energie debat".split()
ODD_SEGMENTS = "caf%c3%a9 l%27eau été Name_%28X%29 %7Euser a%2fb 東京 x[1] %d1%88 caf%C3%A9[]".split()
TRACKING = "utm_source=twitter utm_medium=social&utm_campaign=x fbclid=IwAR0abcdef gclid=Cj0KCQ".split()
N_PASSES = 5


@dataclass(frozen=True)
class Result:
    """One line of the table: microseconds a call of ours and of the yardstick."""

    what: str
    ours_us: float
    yardstick: str
    yardstick_us: float

    @property
    def ratio(self) -> float:
        return self.ours_us / self.yardstick_us


def make_hosts(n: int, chance: random.Random) -> list[str]:
    hosts = []
    for i in range(n):
        sub = chance.choice(["www.", "www.", "", "", "blog.", "data.research."])
        hosts.append(f"{sub}{chance.choice(WORDS)}-{i}.{chance.choice(SUFFIXES)}")
    return hosts


def make_url(host: str, odd: bool, chance: random.Random) -> str:
    segments = [f"{chance.choice(WORDS)}-{chance.randrange(10**4)}" for _ in range(chance.randint(1, 4))]
    query = ""
    if chance.random() < 0.3:
        query = f"?id={chance.randrange(10**6)}&lang=fr"
    if odd and chance.random() < 0.5:
        segments[chance.randrange(len(segments))] = chance.choice(ODD_SEGMENTS)
    elif odd:
        query += ("&" if query else "?") + chance.choice(TRACKING)
    end = chance.choice(["", "/", ".html", ""])
    fragment = "#part" if chance.random() < 0.1 else ""
    return f"{chance.choice(['http', 'https'])}://{host}/{'/'.join(segments)}{end}{query}{fragment}"


def make_urls(n: int, n_hosts: int, seed: int = 1) -> list[str]:
    """Half of them need recoding or the removal of a parameter; every host occurs."""
    chance = random.Random(seed)
    hosts = make_hosts(n_hosts, chance)
    urls = [make_url(hosts[i % n_hosts], i % 2 == (i // n_hosts) % 2, chance) for i in range(n)]
    chance.shuffle(urls)
    return urls


def cpu_us(run: Callable[[], object], n: int) -> float:
    start = time.process_time()
    run()
    return (time.process_time() - start) / n * 1e6


Run = Callable[[], object]


def race(what: str, ours: Run, yardstick: str, theirs: Run, n: int) -> Result:
    pairs = [(cpu_us(ours, n), cpu_us(theirs, n)) for _ in range(N_PASSES)]
    return Result(what, min(a for a, _ in pairs), yardstick, min(b for _, b in pairs))


def each(function: Callable[[str], object], items: Sequence[str]) -> Callable[[], None]:
    def run() -> None:
        for item in items:
            function(item)

    return run


def urlsplit_uncached(urls: Sequence[str]) -> Callable[[], None]:
    def run() -> None:
        urllib.parse.clear_cache()
        urlsplit = urllib.parse.urlsplit
        for url in urls:
            urlsplit(url)

    return run


def new_cutter_each_pass(urls: Sequence[str]) -> Callable[[], None]:
    """The host memo starts empty, as the yardstick's cache does."""

    def run() -> None:
        cut = UrlCutter().lru
        for url in urls:
            cut(url)

    return run


def results(n_urls: int, n_hosts: int) -> list[Result]:
    urls = make_urls(n_urls, n_hosts)
    lrus = list(map(UrlCutter().lru, urls))
    owners: PrefixMap[int] = PrefixMap()
    flat: dict[str, int] = {}
    for i, head in enumerate(dict.fromkeys(map(head_of, lrus))):
        for prefix in variations(head):
            owners[prefix] = i
            flat[prefix] = i
    rules = RuleSet(HYPHE_DEFAULT_RULES)
    few = urls[: n_urls // 4]
    bases = [urls[i // 40 * 40] for i in range(len(few))]
    hrefs = [urllib.parse.urlsplit(url).path if i % 2 else url for i, url in enumerate(few)]
    split = "urlsplit, cache cleared"
    return [
        race("UrlCutter.lru", new_cutter_each_pass(urls), split, urlsplit_uncached(urls), n_urls),
        race("lru_to_url", each(lru_to_url, lrus), split, urlsplit_uncached(urls), n_urls),
        race(
            f"PrefixMap.find_owner ({len(owners)} prefixes)",
            each(owners.find_owner, lrus),
            "dict walk over parents",
            each(lambda lru: naive_owner(flat, lru), lrus),
            n_urls,
        ),
        race(
            "RuleSet.decide (30 host rules), unowned",
            each(lambda lru: rules.decide(lru, None), lrus),
            split,
            urlsplit_uncached(urls),
            n_urls,
        ),
        race(
            "join_url (40 links a page, half rooted)",
            lambda: [join_url(base, href) for base, href in zip(bases, hrefs, strict=True)],
            "urllib urljoin",
            lambda: [urllib.parse.urljoin(base, href) for base, href in zip(bases, hrefs, strict=True)],
            len(few),
        ),
    ]


def naive_owner(flat: dict[str, int], lru: str) -> int | None:
    while lru:
        if lru in flat:
            return flat[lru]
        lru = lru[: lru.rfind("|", 0, -1) + 1]
    return None


def main() -> None:
    parser = argparse.ArgumentParser(description="Speed of the LRU algebra beside named yardsticks.")
    parser.add_argument("--urls", type=int, default=200_000)
    parser.add_argument("--hosts", type=int, default=20_000)
    parser.add_argument("--json", action="store_true")
    options = parser.parse_args()
    table = results(options.urls, options.hosts)
    if options.json:
        print(json.dumps([{**asdict(row), "ratio": row.ratio} for row in table], indent=1))
        return
    print(f"{options.urls} URLs of {options.hosts} hosts, half to recode or rid of parameters; CPU us a call")
    for row in table:
        yardstick = f"{row.yardstick:24} {row.yardstick_us:6.2f}"
        print(f"{row.what:48} {row.ours_us:6.2f}   {yardstick}   ratio {row.ratio:.2f}")


if __name__ == "__main__":
    main()
