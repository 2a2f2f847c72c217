"""A researcher's way through the pages of the web frontend, from login to export, with a crawl in between.

Each test is a page; they build on one another, in this order, as a person's visit does."""

from __future__ import annotations

from typing import Any

import pytest

from tests.clients.cutting import client_lru
from tests.clients.wire import Refused, WebFrontend, padded
from tests.contract.hyphe_api import result_faults
from tests.service.service_process import ServiceProcess, wait_until

PASSWORD = "Rosebud 1"
PAPER, TOWN, FORUM = (
    "http://www.gazette-valmer.fr/",
    "http://www.mairie-valmer.fr/",
    "http://forum.debat-eolien.fr/",
)
DEAD = "http://www.ancien-projet-valmer.fr/"


class Visit:
    """What the pages of a visit know of one another."""

    def __init__(self, frontend: WebFrontend) -> None:
        self.frontend = frontend
        self.corpus = ""
        self.tlds: dict[str, Any] = {}
        self.ids: dict[str, int] = {}

    def call(self, method: str, *params: Any, **named: Any) -> Any:
        """A call on the corpus, whose id goes last; the result has the shape the pages read."""
        if named:
            result = self.frontend.call(method, **named, corpus=self.corpus)
        else:
            result = self.frontend.call(method, *padded(method, params), self.corpus)
        assert result_faults(method, result) == []
        return result

    def status(self) -> Any:
        """What every page polls, with what lists read of it unguarded."""
        status = self.call("get_status")
        options = status["corpus"]["options"]
        archives = {archive["id"]: archive for archive in status["hyphe"]["available_archives"]}
        assert "permalinks_prefix" in archives[options["webarchives_option"]]
        assert options["webarchives_date"].replace("-", "").isdecimal()
        return status

    def lru(self, url: str) -> str:
        return client_lru(url, self.tlds)


@pytest.fixture(scope="module")
def visit(service: ServiceProcess) -> Visit:
    return Visit(WebFrontend(service.port))


def test_login(visit: Visit) -> None:
    frontend = visit.frontend
    status = frontend.call("get_status", None)
    assert status["corpus"]["corpus_id"] is None
    assert status["corpus"]["status"] == "missing"
    assert "" in {archive["id"] for archive in status["hyphe"]["available_archives"]}
    assert status["hyphe"]["max_depth"] >= 1
    frontend.call("list_corpus", True)
    visit.corpus = frontend.call("create_corpus", "Énergie à Valmer", PASSWORD)["corpus_id"]
    assert frontend.call("list_corpus", True)[visit.corpus]["password"] is True
    stranger = WebFrontend(frontend.port)
    with pytest.raises(Refused) as caught:
        stranger.call("start_corpus", visit.corpus, "Rosebud 2")
    assert str(caught.value.message).startswith("Wrong auth")
    stranger.call("start_corpus", visit.corpus, PASSWORD)
    assert stranger.call("ping", visit.corpus, 10)
    visit.frontend = stranger
    assert visit.status()["corpus"]["ready"]


def test_overview_of_an_empty_corpus(visit: Visit) -> None:
    counts = visit.status()["corpus"]["traph"]["webentities"]
    assert {counts[name] for name in ("IN", "OUT", "UNDECIDED", "DISCOVERED")} == {0}
    assert isinstance(visit.call("store.get_webentities_stats"), list)
    assert visit.status()["corpus"]["name"] == "Énergie à Valmer"


def test_import_and_definition(visit: Visit) -> None:
    visit.tlds = visit.call("get_corpus_tlds")
    urls = [PAPER, TOWN, FORUM, DEAD]
    assert set(visit.call("store.simulate_creationrules_for_urls", urls)) == set(urls)
    for url in urls:
        assert visit.call("store.get_lru_definedprefixes", visit.lru(url)) == []
    declared = [
        visit.call(
            "store.declare_webentity_by_lrus",
            list_lrus=[visit.lru(url)], name=None, status="IN", startpages=[url, "", None],
            lruVariations=True, tags={"USER": {"source": "liste é", "kind": ["press", "local"]}},
        )
        for url in urls
    ]  # fmt: skip
    visit.ids = {url: entity["id"] for url, entity in zip(urls, declared, strict=True)}
    assert all(isinstance(entity["id"], int) and entity["_id"] == entity["id"] for entity in declared)
    found = visit.call("store.get_lru_definedprefixes", visit.lru(PAPER + "politique/"))
    assert {prefix["id"] for prefix in found} == {visit.ids[PAPER]}
    assert all(set(prefix) >= {"id", "name", "lru", "stems_count"} for prefix in found)
    with pytest.raises(Refused):
        visit.call("store.declare_webentity_by_lrus", list_lrus=[visit.lru(PAPER)], status="IN")


def test_start_pages(visit: Visit) -> None:
    frontend = visit.frontend
    asked = [[url, 20, visit.corpus] for url in (PAPER, TOWN, FORUM, DEAD)]
    answers = [frontend.envelope("lookup_httpstatus", params) for params in asked]
    assert [answer["code"] for answer in answers] == ["success"] * 4
    assert [answer["result"] for answer in answers[:3]] == [200, 200, 302]
    moved = frontend.envelope("lookup_httpstatus", ["http://gazette-valmer.fr/", 20, visit.corpus])
    assert moved["result"] in (301, 302, 307, 308)
    assert moved["location"] == PAPER
    paper = visit.ids[PAPER]
    entities = visit.call(
        "store.get_webentities", list(visit.ids.values()), ["-status", "name"], -1, 0, False, False, False
    )
    assert {entity["id"] for entity in entities} == set(visit.ids.values())
    assert all(isinstance(entity["startpages"], list) and "USER" in entity["tags"] for entity in entities)
    visit.call("store.add_webentity_startpage", paper, PAPER + "politique/")
    visit.call("store.add_webentity_startpages", paper, [PAPER + "culture/", PAPER + "sport/"])
    visit.call("store.rm_webentity_startpage", paper, PAPER + "sport/")
    visit.call("store.rm_webentity_startpages", paper, [PAPER + "culture/"])
    (entity,) = visit.call("store.get_webentities", [paper])
    assert sorted(entity["startpages"]) == sorted([PAPER.rstrip("/"), PAPER + "politique/"])
    by_mode = visit.call("propose_webentity_startpages", paper, "default", True, False)
    assert all(isinstance(pages, list) for pages in by_mode.values())
    assert isinstance(visit.call("propose_webentity_startpages", paper, "homepage"), list)


def test_crawls(visit: Visit) -> None:
    archives = {"option": "", "date": "2020-01-01", "days_range": 9125}
    for url in visit.ids:
        # A depth that was chosen from a list is a text.
        job = visit.call("crawl_webentity", visit.ids[url], "1", False, "IN", None, None, None, {}, archives)
        assert isinstance(job, str)
    jobs = wait_until(lambda: _ended(visit), 90)
    by_entity = {job["webentity_id"]: job for job in jobs}
    assert visit.status()["corpus"]["traph"]["last_index"] >= min(job["finished_at"] for job in jobs)
    paper = by_entity[visit.ids[PAPER]]
    assert (paper["crawling_status"], paper["indexing_status"]) == ("FINISHED", "FINISHED")
    assert paper["nb_crawled_pages_200"] > 1
    assert isinstance(paper["crawl_arguments"]["webarchives"], dict)
    assert by_entity[visit.ids[DEAD]]["nb_crawled_pages_200"] == 0
    assert "FINISHED" in visit.call("crawl.get_job_log", paper["crawljob_id"])
    visit.call("crawl.set_job_review_status", paper["_id"], True)
    (reviewed,) = visit.call("listjobs", [paper["_id"]])
    assert reviewed["reviewed"] is True
    assert [job["_id"] for job in visit.call("get_webentity_jobs", visit.ids[PAPER])] == [paper["_id"]]
    assert visit.call("crawl.cancel_all") == []


def test_table_of_crawls(visit: Visit) -> None:
    rows = visit.call("listjobs", [], None, None, False)
    assert {row["webentity_id"] for row in rows} == set(visit.ids.values())
    for row in rows:
        arguments = row["crawl_arguments"]
        moments = [
            row[name] for name in ("created_at", "scheduled_at", "started_at", "crawled_at", "finished_at")
        ]
        assert moments == sorted(moments)
        assert all(
            isinstance(arguments[name], list)
            for name in ("start_urls", "follow_prefixes", "nofollow_prefixes", "discover_prefixes")
        )
        assert isinstance(arguments["webarchives"]["date"], str)
    now = rows[-1]["finished_at"] + 1
    assert len(visit.call("listjobs", None, now - 3 * 86_400_000, now, True)) == len(rows)


def _ended(visit: Visit) -> Any:
    jobs = visit.call("listjobs", None, None, None, False)
    return jobs if all(job["crawling_status"] == "FINISHED" for job in jobs) else None


def test_prospecting(visit: Visit) -> None:
    page = visit.call(
        "store.search_webentities", "", [["status", "DISCOVERED"]], ["-indegree", "name"], 2, 0, False, True
    )
    assert page["total_results"] > 2
    degrees = [entity["indegree"] for entity in page["webentities"]]
    assert degrees == sorted(degrees, reverse=True)
    assert degrees[0] >= 1
    following = visit.call("store.get_webentities_page", page["token"], 1, False)
    assert following["webentities"]
    names = visit.call("store.get_webentities_page", page["token"], 0, True)
    assert names == [[entity["id"], entity["name"]] for entity in page["webentities"]]
    histogram = visit.call("store.get_webentities_ranking_stats", page["token"])
    assert sum(histogram.values()) == page["total_results"]
    for status, entity in zip(("IN", "OUT"), page["webentities"], strict=True):
        visit.call("store.set_webentities_status", [entity["id"]], status)
    again = visit.call("store.search_webentities", "", [["status", "DISCOVERED"]], "name", 100)
    assert again["total_results"] == page["total_results"] - 2
    assert visit.status()["corpus"]["traph"]["webentities"]["OUT"] == 1


def test_lists_of_entities(visit: Visit) -> None:
    everything = visit.call("store.search_webentities", "", [], "", 100, 0, True, False)
    some = visit.call("store.search_webentities", "valmer", [["status", "IN UNDECIDED"]], "-name", 100)
    names = [entity["name"].casefold() for entity in some["webentities"]]
    assert names == sorted(names, reverse=True)
    assert 0 < some["total_results"] < everything["total_results"]
    assert some["token"] is None
    whole = visit.call("store.get_webentities_by_status", "IN", ["name"], -1)
    assert {entity["id"] for entity in whole} >= set(visit.ids.values())
    for order in ("name", "status", "crawled", "pages_total", "indegree", "last_modification_date"):
        visit.call("store.search_webentities", "", [], [f"-{order}", "name"], 10, 0, False, True)


def test_merging(visit: Visit) -> None:
    found = visit.call("store.search_webentities", "", [["status", "DISCOVERED"]], "name", 2)["webentities"]
    olds, good = [entity["id"] for entity in found], visit.ids[FORUM]
    visit.call("store.merge_webentities_into_another", olds, good, True, False)
    (merged,) = visit.call("store.get_webentities", [good])
    assert set(merged["prefixes"]) >= {prefix for entity in found for prefix in entity["prefixes"]}
    assert visit.call("store.get_webentities", olds) == []


def test_page_of_an_entity(visit: Visit) -> None:
    paper = visit.ids[PAPER]
    visit.call("store.basic_edit_webentity", paper, "La Gazette", None, PAPER + "politique/")
    (entity,) = visit.call("store.get_webentities", [paper])
    assert (entity["name"], entity["status"], entity["homepage"]) == (
        "La Gazette",
        "IN",
        PAPER + "politique/",
    )
    token, pages = None, []
    while True:
        part = visit.call("store.paginate_webentity_pages", paper, 5, token, False, True, False, False)
        pages += part["pages"]
        token = part["token"]
        if token is None:
            break
    assert len({page["lru"] for page in pages}) == len(pages) == entity["pages_total"]
    assert sum(1 for page in pages if page["crawled"]) == entity["pages_crawled"]
    # The page cuts addresses itself, to tell start pages among all pages and to show folders.
    assert [visit.lru(page["url"]) for page in pages] == [page["lru"] for page in pages]
    assert all(page["lru"].startswith(tuple(entity["prefixes"])) for page in pages)
    assert {visit.lru(url) for url in entity["startpages"]} <= {page["lru"] for page in pages}
    assert len(visit.call("store.get_webentity_mostlinked_pages", paper, 5)) == 5
    assert visit.call("store.get_webentity_ego_network", paper)
    assert isinstance(visit.call("store.get_webentity_referrers", paper, -1), list)
    assert isinstance(visit.call("store.get_webentity_referrals", paper, -1, 0, False, False), list)


def test_folders_prefixes_and_rules(visit: Visit) -> None:
    paper = visit.ids[PAPER]
    folder = visit.lru(PAPER + "politique/")
    child = visit.call(
        "store.declare_webentity_by_lrus", list_lrus=[folder], name="Politique", status="UNDECIDED",
        startpages=[], lruVariations=True, tags={},
    )  # fmt: skip
    subs = visit.call("store.get_webentity_subwebentities", paper, True)
    assert [(sub["id"], bool(sub["prefixes"])) for sub in subs] == [(child["id"], True)]
    assert paper in {
        one["id"] for one in visit.call("store.get_webentity_parentwebentities", child["id"], True)
    }
    visit.call("store.merge_webentity_into_another", child["id"], paper, True, False, False)
    assert visit.call("store.get_webentity_subwebentities", paper, True) == []
    extra = visit.lru("http://www.gazette-de-valmer.example.org/")
    visit.call("store.add_webentity_lruprefixes", paper, [extra])
    visit.call("store.rm_webentity_lruprefix", paper, extra)
    assert visit.call("store.get_webentity_creationrules", folder) is None
    visit.call("store.add_webentity_creationrule", folder, "prefix+1")
    rule = visit.call("store.get_webentity_creationrules", folder)
    assert rule["name"] == "prefix+1"
    assert len(visit.call("store.get_webentity_creationrules", None)) >= 1
    visit.call("store.delete_webentity_creationrule", folder)
    links = visit.call("store.paginate_webentity_pagelinks_network", paper, 1000, None, False)
    assert links["links"]
    assert all(len(link) == 3 for link in links["links"])


def test_a_boundary_beyond_the_host(visit: Visit) -> None:
    """The slider of a site that is a public suffix stands one stem too far."""
    suffix = visit.call(
        "store.declare_webentity_by_lrus", list_lrus=["s:https|h:github.io||"], name="Github.io", status="IN",
        startpages=["https://github.io"], lruVariations=False, tags={},
    )  # fmt: skip
    assert suffix["prefixes"] == ["s:https|h:io|h:github|"]
    (known,) = visit.call("store.get_lru_definedprefixes", visit.lru("https://github.io"))
    assert (known["id"], known["stems_count"]) == (suffix["id"], 3)
    visit.call("store.rm_webentity_lruprefix", suffix["id"], suffix["prefixes"][0])


def test_crawls_of_an_entity_that_is_gone(visit: Visit) -> None:
    dead = visit.ids[DEAD]
    (entity,) = visit.call("store.get_webentities", [dead])
    for prefix in entity["prefixes"]:
        visit.call("store.rm_webentity_lruprefix", dead, prefix)
    jobs = visit.call("listjobs", None, None, None, True)
    (orphan,) = [job for job in jobs if job["webentity_id"] is None]
    assert orphan["previous_webentity_name"] == entity["name"]
    ids = [job["webentity_id"] for job in jobs]
    found = visit.call("store.get_webentities", ids, ["-status", "name"], 1000, 0, True, False, False)
    assert {each["id"] for each in found} == {i for i in ids if i is not None}


def test_tags(visit: Visit) -> None:
    paper, town, forum = visit.ids[PAPER], visit.ids[TOWN], visit.ids[FORUM]
    visit.call("store.add_webentity_tag_value", paper, "USER", "échelle", " locale ")
    visit.call("store.add_webentities_tag_value", [town, forum], "USER", "échelle", "locale")
    visit.call("store.add_webentity_tags", town, "USER", {"langue": "fr", "type": ["mairie"]})
    visit.call("store.add_webentity_tag_value", paper, "USER", "FREETAGS", "à relire")
    assert visit.call("store.get_tags", "USER")["échelle"] == {"locale": 3}
    categories = visit.call("store.get_tag_categories", "USER")
    assert "échelle" in categories
    assert "FREETAGS" not in categories
    visit.call("store.edit_webentity_tag_value", paper, "USER", "échelle", "locale", "régionale")
    visit.call("store.rm_webentities_tag_value", [town], "USER", "échelle", "locale")
    visit.call("store.rm_webentity_tag_value", forum, "USER", "échelle", "locale")
    assert visit.call("store.get_tags", "USER")["échelle"] == {"régionale": 1}


def test_network_and_export(visit: Visit) -> None:
    links = visit.call("store.get_webentities_network", False, False)
    wider = visit.call("store.get_webentities_network", True, True)
    assert 0 < len(links) <= len(wider)
    assert all(weight > 0 for _, _, weight in wider)
    # The graph library of the page takes neither loops nor the same link twice.
    assert len({(source, target) for source, target, _ in wider if source != target}) == len(wider)
    known = {entity["id"] for entity in visit.call("store.search_webentities", "", [], "", -1)}
    assert {one for link in wider for one in link[:2]} <= known
    rows = visit.call("store.get_webentities", list(known), None, -1, 0, False, False, True)
    assert all(isinstance(row["prefixes"], str) for row in rows)
    visit.call("backup_corpus")


def test_settings(visit: Visit) -> None:
    wanted = {"max_depth": 2, "depthHypheBro": 1, "follow_redirects": ["bit.ly"]}
    changed = visit.frontend.call("set_corpus_options", visit.corpus, wanted)
    assert (changed["max_depth"], changed["follow_redirects"]) == (2, ["bit.ly"])
    visit.frontend.call("rename_corpus", "Valmer", visit.corpus)
    assert visit.status()["corpus"]["name"] == "Valmer"
    visit.call("store.trigger_links_build")


def test_administration(visit: Visit) -> None:
    shown = visit.frontend.call("list_corpus", False)[visit.corpus]
    # This page alone reads a moment in seconds.
    assert abs(shown["last_links_loop"] * 1000 - shown["last_index_loop"]) <= 1
    assert shown["options"]["defaultCreationRule"] == "domain"
    assert visit.frontend.call("list_corpus", True)[visit.corpus]["last_activity"] >= shown["created_at"]


def test_a_stopped_corpus_heals(visit: Visit) -> None:
    visit.frontend.call("stop_corpus", visit.corpus)
    assert visit.call("store.get_webentities_by_status", "IN", "", 100)["total_results"] > 0
    assert visit.frontend.n_healed == 1


def test_reset_and_end(visit: Visit) -> None:
    rules = visit.call("store.get_webentity_creationrules", None)
    visit.frontend.call("reinitialize", visit.corpus)
    visit.frontend.call("start_corpus", visit.corpus, PASSWORD)
    assert visit.call("store.search_webentities", "", [], "", 100)["total_results"] == 0
    assert visit.call("store.get_webentity_creationrules", None) == rules
    assert visit.status()["corpus"]["options"]["max_depth"] == 2
    visit.frontend.call("destroy_corpus", visit.corpus)
    assert visit.corpus not in visit.frontend.call("list_corpus", True)
