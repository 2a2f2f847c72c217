"""A researcher's way through the desktop browser: browse, declare, judge, tag, crawl with its cookies.

It runs from a file and sends no password after the start: it needs the compatible access."""

from __future__ import annotations

from typing import Any

import pytest

from tests.clients.wire import DesktopBrowser, Refused
from tests.contract.hyphe_api import result_faults
from tests.service.service_process import ServiceProcess, wait_until

PAPER, TOWN, BLOG = (
    "http://www.gazette-valmer.fr/",
    "http://www.mairie-valmer.fr/",
    "http://lea.plumes-libres.net/",
)
NAME, PASSWORD = "parcours", "sésame"


class Visit:
    """A corpus in the desktop browser."""

    def __init__(self, browser: DesktopBrowser) -> None:
        self.browser = browser
        self.corpus = ""
        self.ids: dict[str, int] = {}

    def call(self, method: str, **named: Any) -> Any:
        result = self.browser.call(method, **named, corpus=self.corpus)
        assert result_faults(method, result) == []
        return result

    def declare(self, url: str) -> Any:
        """What happens at each page that is visited."""
        return self.call("declare_page", url=url)


@pytest.fixture(scope="module")
def visit(compatible_service: ServiceProcess) -> Visit:
    return Visit(DesktopBrowser(compatible_service.port))


def test_servers_and_corpora(visit: Visit) -> None:
    status = visit.browser.call("get_status")
    assert status["corpus"]["corpus_id"] in (None, "--hyphe--")
    options = {"depthHypheBro": 1, "defaultCreationRule": "subdomain"}
    visit.browser.call("create_corpus", name=NAME, password=PASSWORD, options=options)
    listed = visit.browser.call("list_corpus")
    (visit.corpus,) = [one["corpus_id"] for one in listed.values() if one["name"] == NAME]
    visit.browser.call("start_corpus", corpus=visit.corpus, password=PASSWORD)
    assert visit.call("get_status")["corpus"]["options"]["depthHypheBro"] == 1
    assert "fr" in visit.call("get_corpus_tlds")


def test_browsing(visit: Visit) -> None:
    first = visit.declare(PAPER)
    assert first["created"] is True
    assert {"id", "name", "status", "prefixes", "homepage", "tags", "crawling_status"} <= set(first)
    again = visit.declare(PAPER + "politique/")
    assert (again["id"], again["created"]) == (first["id"], False)
    visit.ids = {PAPER: first["id"], TOWN: visit.declare(TOWN)["id"]}
    other = visit.call(
        "store.declare_webentity_by_lruprefix_as_url",
        url=BLOG, name=None, status=None, startpages=None, lruVariations=True,
    )  # fmt: skip
    assert other["created"] is True
    visit.ids[BLOG] = other["id"]


def test_a_prefix_that_is_taken_is_told_in_words_the_browser_knows(visit: Visit) -> None:
    for params in ([BLOG, None, None, None, True], [BLOG, None, None, None, True, {}]):
        with pytest.raises(Refused, match="is already set to an existing WebEntity"):
            visit.browser.call("store.declare_webentity_by_lruprefix_as_url", *params, visit.corpus)
    section = visit.browser.call(
        "store.declare_webentity_by_lruprefix_as_url", BLOG + "carnet", None, None, None, True, visit.corpus
    )
    assert section["created"] is True
    visit.call("store.delete_webentity", webentity_id=section["id"])


def test_addresses_that_are_no_page_of_the_web(visit: Visit) -> None:
    for url in ("about:blank", "file:///tmp/x", "data:text/html,x"):
        with pytest.raises(Refused, match="only http and https"):
            visit.declare(url)


def test_judging(visit: Visit) -> None:
    paper = visit.ids[PAPER]
    visit.call("store.set_webentity_status", webentity_id=paper, status="IN")
    visit.call("store.rename_webentity", webentity_id=paper, new_name="La Gazette")
    visit.call("store.set_webentity_homepage", webentity_id=paper, homepage=PAPER)
    page = visit.call(
        "store.get_webentities_by_status",
        status="IN",
        sort=["name"],
        count=50,
        page=0,
        light=False,
        semilight=True,
    )
    assert [entity["name"] for entity in page["webentities"]] == ["La Gazette"]
    assert page["webentities"][0]["homepage"].rstrip("/") == PAPER.rstrip("/")


def test_a_crawl_with_the_cookies_of_the_visitor(visit: Visit) -> None:
    job = visit.call(
        "crawl_webentity_with_startmode",
        webentity_id=visit.ids[PAPER], depth=1, phantom_crawl=False, status="IN", startmode="default",
        cookies_string="visited=1", phantom_timeouts={}, save_startpages=True,
    )  # fmt: skip
    (found,) = wait_until(lambda: _ended(visit, job), 60)
    assert found["crawl_arguments"]["cookies"] != "visited=1"
    assert found["nb_crawled_pages_200"] > 0
    canceled = visit.call(
        "crawl_webentity_with_startmode", webentity_id=visit.ids[TOWN], depth=1, startmode="homepage"
    )
    assert visit.call("cancel_webentity_jobs", webentity_id=visit.ids[TOWN]) is not None
    wait_until(lambda: _ended(visit, canceled), 60)


def _ended(visit: Visit, job: str) -> Any:
    jobs = visit.call("listjobs", list_ids=[job])
    return jobs if jobs[0]["crawling_status"] in ("FINISHED", "CANCELED") else None


def test_suggestions_and_neighbours(visit: Visit) -> None:
    paper = visit.ids[PAPER]
    found = visit.call(
        "store.search_webentities",
        allFieldsKeywords="", fieldKeywords=[["status", "DISCOVERED"]], sort=["-indegree", "name"],
        count=50, page=0, light=False, semilight=True,
    )  # fmt: skip
    assert found["webentities"][0]["indegree"] >= 1
    cited = visit.call(
        "store.get_webentity_referrals", webentity_id=paper, count=-1, page=0, light=False, semilight=True
    )
    assert all(entity["weight"] >= 1 for entity in cited)
    citing = visit.call("store.get_webentity_referrers", webentity_id=cited[0]["id"], count=-1)
    assert paper in {entity["id"] for entity in citing}
    assert isinstance(visit.call("store.get_webentity_subwebentities", webentity_id=paper, light=True), list)
    assert isinstance(
        visit.call("store.get_webentity_parentwebentities", webentity_id=paper, light=True), list
    )
    most = visit.call("store.get_webentity_mostlinked_pages", webentity_id=paper, npages=20)
    assert all("linked" in page for page in most)
    token, n_pages = None, 0
    while True:
        part = visit.call(
            "store.paginate_webentity_pages", webentity_id=paper, count=200, pagination_token=token
        )
        n_pages += len(part["pages"])
        token = part["token"]
        if token is None:
            break
    assert n_pages > 0


def test_tags_and_notes(visit: Visit) -> None:
    paper, blog = visit.ids[PAPER], visit.ids[BLOG]
    for category, value in (("type", "presse"), ("FREETAGS", "une note, avec é")):
        visit.call(
            "store.add_webentity_tag_value",
            webentity_id=paper,
            namespace="USER",
            category=category,
            value=value,
        )
    visit.call(
        "store.edit_webentity_tag_value",
        webentity_id=paper, namespace="USER", category="type", old_value="presse", new_value="journal",
    )  # fmt: skip
    assert visit.call("store.get_tags", namespace="USER")["type"] == {"journal": 1}
    assert visit.call("store.get_tag_categories", namespace="USER") == ["type"]
    visit.call("store.set_webentity_status", webentity_id=blog, status="IN")
    lacking = visit.call("store.get_webentities_mistagged", status="IN", missing_a_category=True, count=-1)
    assert {entity["id"] for entity in lacking} == {blog, visit.ids[TOWN]}
    plain = visit.call("store.get_webentities_mistagged", status="IN", count=50)
    assert plain["total_results"] == 2
    visit.call(
        "store.rm_webentity_tag_value", webentity_id=paper, namespace="USER", category="type", value="journal"
    )


def test_a_redirect_merges_two_entities(visit: Visit) -> None:
    town, blog = visit.ids[TOWN], visit.ids[BLOG]
    visit.call(
        "store.merge_webentity_into_another",
        old_webentity_id=blog, good_webentity_id=town, include_tags=True,
        include_home_and_startpages_as_startpages=True, include_name_and_status=True,
    )  # fmt: skip
    merged = visit.declare(BLOG)
    assert (merged["id"], merged["status"], merged["created"]) == (town, "IN", False)
    with pytest.raises(Refused):
        visit.call("store.merge_webentity_into_another", old_webentity_id=town, good_webentity_id=town)


def test_downloads(visit: Visit) -> None:
    found = visit.browser.call(
        "store.get_webentities_by_status", "IN", "name", 500, 0, False, False, visit.corpus
    )
    assert all({"startpages", "tags", "prefixes"} <= set(entity) for entity in found["webentities"])


def test_leaving(visit: Visit) -> None:
    visit.browser.call("stop_corpus", corpus=visit.corpus)
    with pytest.raises(Refused) as caught:
        visit.declare(PAPER)
    assert caught.value.message["status"] == "stopped"
