"""Start pages are proposed in the order a user sets; crawls are launched alone, as Hyphe does, and many at
once."""

from __future__ import annotations

import pytest

from memory_structure.records import JobState, StartPage
from memory_structure.url_cutter import url_to_lru
from tests.corpus_cases import SPEC, batch, fetch, page
from tests.unit.hyphe_core.api.conftest import Curator

X = "s:http|h:com|h:x|"


def crawl(curator: Curator, url: str, *targets: str) -> None:
    """Store a page with links as a crawl would."""
    if not curator.structure.list_jobs():
        curator.structure.create_job(SPEC)
    curator.structure.write_batch(batch(page(url_to_lru(url), *map(url_to_lru, targets))))


def test_modes_are_united_in_the_order_asked(curator: Curator) -> None:
    one = curator.declare("http://x.com/")
    crawl(curator, "http://y.org/", "http://x.com/in", "http://x.com/also")
    crawl(curator, "http://z.org/", "http://x.com/in")
    crawl(curator, "http://x.com/")
    found = curator.call("propose_webentity_startpages", one, ["entry", "prefixes", "pages"])
    assert found == ["http://x.com/in", "http://x.com/also", "http://x.com"]
    found = curator.call("propose_webentity_startpages", one, ["pages", "entry"], categories=True)
    assert found == {
        "pages": ["http://x.com", "http://x.com/also", "http://x.com/in"],
        "entry": ["http://x.com/in", "http://x.com/also"],
    }


def test_proposals_say_what_is_known_and_by_which_modes(curator: Curator) -> None:
    one = curator.declare("http://x.com/")
    crawl(curator, "http://x.com/", "http://x.com/a")
    curator.structure.add_start_pages([(one, [StartPage("http://x.com", "user")])])
    first, second = curator.call("startpages.propose", one, ["startpages", "pages"])
    assert (first["url"], first["modes"], first["startpage"]) == (
        "http://x.com",
        ["startpages", "pages"],
        True,
    )
    assert (first["known"], first["status"]) == (True, 200)
    assert (second["url"], second["known"], second["status"]) == ("http://x.com/a", True, None)
    assert len(curator.call("startpages.propose", one, ["pages"], count=1)) == 1


def test_the_form_that_somebody_typed_comes_first_then_the_one_that_answers(curator: Curator) -> None:
    one = curator.declare("http://x.com/", "https://x.com/", "http://www.x.com/")
    forms = ["http://x.com", "http://www.x.com", "https://x.com"]
    assert sorted(curator.call("propose_webentity_startpages", one, "prefixes")) == sorted(forms)
    crawl(curator, "http://www.x.com/")
    assert curator.call("propose_webentity_startpages", one, "prefixes")[0] == "http://www.x.com"
    curator.structure.add_start_pages([(one, [StartPage("https://x.com/start", "user")])])
    assert curator.call("propose_webentity_startpages", one, "prefixes")[:2] == [
        "https://x.com",
        "http://www.x.com",
    ]


def test_proposals_can_be_kept(curator: Curator) -> None:
    one = curator.declare("http://x.com/")
    curator.call("propose_webentity_startpages", one, "prefixes", save_startpages=True)
    curator.call("propose_webentity_startpages", one, "prefixes", save_startpages=True)
    assert curator.entity(one)["startpages"] == ["http://x.com"]
    assert curator.entity(one)["tags"]["CORE-STARTPAGES"] == {"auto": ["http://x.com"]}


@pytest.mark.parametrize("mode", ["pages-0", "entries", " ", "pages-x"])
def test_an_unknown_mode_is_told_with_the_nearest(curator: Curator, mode: str) -> None:
    one = curator.declare("http://x.com/")
    assert "no start mode" in curator.refusal("startpages.propose", one, mode)["message"]


def test_a_crawl_is_started_with_its_own_prefixes(curator: Curator) -> None:
    one = curator.declare("http://x.com/")
    job_id = curator.call(
        "crawl.start", one, ["http://x.com/a"], [X + "p:a|"], [X + "p:a|p:b|"], depth=2, download_delay=0.5
    )
    spec = curator.structure.get_job(int(job_id)).spec
    assert (spec.start_urls, spec.max_depth, spec.delay_seconds) == (("http://x.com/a",), 2, 0.5)
    assert (spec.follow_prefixes, spec.nofollow_prefixes) == ((X + "p:a|",), (X + "p:a|p:b|",))
    assert curator.entity(one)["status"] == "DISCOVERED"
    assert [entry.job_id for entry in curator.service.registry.list_queue()] == [int(job_id)]


def test_a_crawl_that_could_fetch_nothing_is_refused_before_it_begins(curator: Curator) -> None:
    one = curator.declare("http://x.com/")
    curator.declare("http://x.com/other")
    for method, params in [
        ("crawl.start", (one, ["http://y.org/"], [X], [])),
        ("crawl.start", (one, ["http://x.com/other/1"], [X], [X + "p:other|"])),
    ]:
        assert "belongs to another web entity" in curator.refusal(method, *params)["message"]
    assert "must not be empty" in curator.refusal("crawl.start", one, [], [X], [])["message"]
    assert curator.structure.list_jobs() == []


def test_many_are_launched_at_once_and_judged_in_one_act(curator: Curator) -> None:
    ids = [curator.declare(f"http://site{n}.com/") for n in range(5)]
    n_acts = len(curator.acts())
    jobs = curator.call("crawl.start_many", [*ids, ids[0]], depth=1, startmode="prefixes")
    stored = curator.structure.list_jobs()
    assert [str(job.job_id) for job in stored] == jobs
    assert [job.spec.web_entity_id for job in stored] == ids
    assert {job.state for job in stored} == {JobState.PENDING}
    assert stored[2].spec.start_urls == ("http://site2.com",)
    assert {curator.entity(i)["status"] for i in ids} == {"IN"}
    assert len(curator.acts()) == n_acts + 1
    assert len(curator.service.registry.list_queue()) == 5


def test_many_launched_at_once_begin_where_each_would_alone(curator: Curator) -> None:
    one, two, three = (curator.declare(f"http://{host}.com/", f"http://www.{host}.com/") for host in "abc")
    crawl(curator, "http://y.org/", "http://a.com/in", "http://a.com/in/deep/er", "http://b.com/also")
    crawl(curator, "http://www.b.com/")
    curator.structure.add_start_pages([(three, [StartPage("http://www.c.com/start", "user")])])
    modes = ["startpages", "homepage", "prefixes", "pages", "entry", "pages-3"]
    alone = [curator.call("propose_webentity_startpages", i, modes) for i in (one, two, three)]
    assert alone == [
        ["http://www.a.com", "http://a.com", "http://a.com/in", "http://a.com/in/deep/er"],
        ["http://www.b.com", "http://b.com", "http://b.com/also"],
        ["http://www.c.com/start", "http://www.c.com", "http://c.com"],
    ]
    jobs = curator.call("crawl.start_many", [one, two, three], startmode=modes)
    specs = [curator.structure.get_job(int(job)).spec for job in jobs]
    assert [list(spec.start_urls) for spec in specs] == alone
    assert "no web entity 99" in curator.refusal("crawl.start_many", [one, 99])["message"]
    assert len(curator.structure.list_jobs()) == 1 + 3


def test_pages_of_many_are_ranked_together_as_alone(curator: Curator) -> None:
    ids = [curator.declare(f"http://site{n}.com/") for n in range(6)]
    crawl(curator, "http://y.org/", *(f"http://site{n}.com/p{k}" for n in range(5) for k in range(3)))
    crawl(curator, "http://z.org/", *(f"http://site{n}.com/p{n % 3}" for n in range(5)))
    modes = ["homepage", "pages-2"]
    alone = [curator.call("propose_webentity_startpages", i, modes) for i in ids]
    assert alone[1] == ["http://site1.com/p1", "http://site1.com/p0"]
    assert alone[5] == ["http://site5.com"]
    jobs = curator.call("crawl.start_many", ids, startmode=modes)
    assert [list(curator.structure.get_job(int(job)).spec.start_urls) for job in jobs] == alone


def test_a_declared_page_that_nobody_links_to_is_where_a_crawl_begins(curator: Curator) -> None:
    one = int(curator.call("declare_page", "http://forum.x.com/index.php")["id"])
    assert curator.call("propose_webentity_startpages", one, "pages-5") == ["http://forum.x.com/index.php"]
    job_id = int(curator.call("crawl_webentity", one))
    assert "http://forum.x.com/index.php" in curator.structure.get_job(job_id).spec.start_urls


def test_pages_that_nobody_links_to_come_last_and_those_that_failed_never(curator: Curator) -> None:
    one = curator.declare("http://x.com/")
    crawl(curator, "http://y.org/", "http://x.com/linked")
    curator.pages("http://x.com/a", "http://x.com/1/2/3")
    curator.structure.write_batch(batch(page(url_to_lru("http://x.com/gone"), attempts=[fetch(status=404)])))
    assert curator.call("propose_webentity_startpages", one, "pages-5") == [
        "http://x.com/linked",
        "http://x.com/a",
    ]
    assert curator.call("propose_webentity_startpages", one, "pages-1") == ["http://x.com/linked"]
