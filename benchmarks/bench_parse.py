"""Speed of HTML page work, beside two yardsticks that read the same pages in the same run.

    python -m benchmarks.bench_parse [--pages 300] [--kb 20] [--json]

CPU microseconds a page, the least of five passes; passes of ours and of the yardsticks take turns. The bare
yardstick parses with selectolax and touches the nodes we must touch: text of all text nodes, attributes and
text of all links, white space folded. It resolves no address, knows no areas, hides no script. The lxml
yardstick does our work with lxml: links with anchors and areas, title, text without scripts. The page work in
the profile `nutch` and its policy for outlinks stand beside ours. OPIC is timed by link: pages one by one,
and all at once.
"""

from __future__ import annotations

import argparse
import json
import time
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass
from urllib.parse import urljoin

import lxml.html
import numpy as np
from lxml import etree
from selectolax.lexbor import LexborHTMLParser

from hyphe_core.parsers import tree
from hyphe_core.parsers.base import Document
from hyphe_core.parsers.defusing import defuse
from hyphe_core.parsers.encoding import detect_encoding
from hyphe_core.parsers.html import HtmlParser
from hyphe_core.parsers.links import merge_links
from hyphe_core.parsers.outlink_policy import nutch_policy
from hyphe_core.parsers.profiles import NUTCH
from hyphe_core.parsers.scoring import Opic, sum_contributions
from memory_structure.url_cutter import UrlCutter
from tests.testweb import Web

N_PASSES = 5
N_OPIC_PAGES = 20_000
N_OPIC_LINKS = 1_000_000
LANDMARKS = ("nav", "header", "footer", "aside", "main")


@dataclass(frozen=True)
class Row:
    """One line of the table."""

    what: str
    us_per_page: float


def make_documents(n_pages: int, kb: float) -> list[Document]:
    """HTML pages of the test web with their header."""
    web = Web(sites=100, pages=max(1000, 4 * n_pages), seed=1, profile="clean", kb=kb)
    return [Document(web.url(page), web.body(page), "text/html; charset=utf-8") for page in range(n_pages)]


def bare_walk(document: Document) -> tuple[str, int]:
    """selectolax, nothing but touching."""
    root = LexborHTMLParser(document.body).root
    assert root is not None
    pieces: list[str] = []
    n_characters = 0
    for node in root.traverse(include_text=True):
        tag = node.tag_id
        if tag == tree.TEXT:
            pieces.append(node.text_content or "")
        elif tag == tree.A:
            n_characters += len(node.attributes) + len(" ".join(node.text().split()))
    return " ".join(" ".join(pieces).split()), n_characters


def lxml_work(document: Document) -> tuple[list[tuple[str, str, str]], str, str]:
    """The same page work with lxml."""
    root = lxml.html.document_fromstring(document.body, parser=lxml.html.HTMLParser(encoding="utf-8"))
    links = []
    for element in root.iter("a", "area", "frame", "iframe"):
        href = element.get("href") or element.get("src")
        if href is None:
            continue
        url = urljoin(document.url, href.strip())
        if url.startswith("http"):
            area = next((above.tag for above in element.iterancestors(*LANDMARKS)), "main")
            links.append((url, " ".join("".join(element.itertext()).split()), area))
    title = root.findtext(".//title") or ""
    etree.strip_elements(root, "script", "style", "noscript", "template", etree.Comment, with_tail=False)
    return links, title, " ".join(" ".join(root.itertext()).split())


def steps(documents: Sequence[Document]) -> dict[str, Callable[[], None]]:
    """What is timed: each entry works through all pages once."""
    parser, cutter, policy = HtmlParser(), UrlCutter(), nutch_policy()
    links = [parser.parse(document).links for document in documents]
    found_at = list(zip([document.url for document in documents], links, strict=True))

    def over_all(work: Callable[[Document], object]) -> Callable[[], None]:
        return lambda: [work(document) for document in documents] and None

    return {
        "ours: whole page": over_all(parser.parse),
        "profile nutch: whole page": over_all(HtmlParser(NUTCH).parse),
        "bare selectolax": over_all(bare_walk),
        "lxml": over_all(lxml_work),
        "step: encoding": over_all(lambda document: detect_encoding(document.body, document.content_type)),
        "step: defusing": over_all(lambda document: defuse(document.body)),
        "step: building the tree": over_all(lambda document: LexborHTMLParser(document.body)),
        "step: walk for text alone": over_all(
            lambda document: tree.gather_text(tree.walk(LexborHTMLParser(document.body).root), {})
        ),
        "after: outlink policy": lambda: [policy.apply(url, found) for url, found in found_at] and None,
        "after: merging links": lambda: [merge_links("", found, cutter) for found in links] and None,
    }


def opic_us_per_link(documents: Sequence[Document]) -> dict[str, float]:
    """Cost of scores: `distribute` for the links of each page, and arrays of a million links at once."""
    parser, scoring = HtmlParser(), Opic(internal=0.5)
    found = [(document.url, [link.url for link in parser.parse(document).links]) for document in documents]
    chance = np.random.default_rng(1)
    page_of_link = np.sort(chance.integers(0, N_OPIC_PAGES, N_OPIC_LINKS))
    target_of_link = chance.integers(0, N_OPIC_PAGES, N_OPIC_LINKS)
    is_internal = chance.random(N_OPIC_LINKS) < 0.7
    scores = chance.random(N_OPIC_PAGES)

    def at_once() -> None:
        shares = scoring.contributions(scores, page_of_link, is_internal)
        sum_contributions(target_of_link, shares, N_OPIC_PAGES)

    def by_page() -> None:
        for url, targets in found:
            scoring.distribute(1.0, url, targets, len(targets))

    least = {row.what: row.us_per_page for row in measure({"at once": at_once, "by page": by_page}, 1)}
    return {
        "opic_at_once_us_per_link": least["at once"] / N_OPIC_LINKS,
        "opic_by_page_us_per_link": least["by page"] / sum(len(targets) for _, targets in found),
    }


def measure(work: dict[str, Callable[[], None]], n_pages: int) -> list[Row]:
    least = dict.fromkeys(work, float("inf"))
    for _ in range(N_PASSES):
        for what, run in work.items():
            began = time.process_time()
            run()
            least[what] = min(least[what], time.process_time() - began)
    return [Row(what, seconds / n_pages * 1e6) for what, seconds in least.items()]


def main(argv: Sequence[str] | None = None) -> None:
    options = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    options.add_argument("--pages", type=int, default=300)
    options.add_argument("--kb", type=float, default=20)
    options.add_argument("--json", action="store_true")
    chosen = options.parse_args(argv)
    documents = make_documents(chosen.pages, chosen.kb)
    rows = measure(steps(documents), len(documents))
    by_name = {row.what: row.us_per_page for row in rows}
    ours = by_name["ours: whole page"]
    n_links = sum(len(HtmlParser().parse(document).links) for document in documents) / len(documents)
    summary = {
        "mean_kb": sum(len(document.body) for document in documents) / len(documents) / 1000,
        "mean_links": n_links,
        "ratio_to_bare_selectolax": ours / by_name["bare selectolax"],
        "ratio_to_lxml": ours / by_name["lxml"],
        "merging_us_per_link": by_name["after: merging links"] / n_links,
        **opic_us_per_link(documents),
    }
    if chosen.json:
        print(json.dumps({"rows": [asdict(row) for row in rows], **summary}))
        return
    for row in rows:
        print(f"{row.what:28} {row.us_per_page:8.1f} us a page")
    for name, value in summary.items():
        print(f"{name:28} {value:8.2f}")


if __name__ == "__main__":
    main()
