"""Cookies of a crawl are shown to nobody; a client that gives back what stands in their place repeats the
crawl with them, within the prefixes they were given for."""

from __future__ import annotations

import pytest

from hyphe_core.api.wire import HIDDEN
from tests.unit.hyphe_core.api.conftest import Curator

COOKIES = "session=a1; lang=fr"


def cookies_of(curator: Curator, job: str) -> str:
    return curator.structure.get_job(int(job)).spec.cookies


def shown_cookies(curator: Curator, job: str) -> str:
    (shown,) = curator.call("listjobs", [job])
    return str(shown["crawl_arguments"]["cookies"])


@pytest.fixture
def site(curator: Curator) -> int:
    return curator.declare("http://x.com/")


def test_a_crawl_is_repeated_with_its_cookies(curator: Curator, site: int) -> None:
    first = curator.call("crawl_webentity", site, cookies_string=COOKIES)
    assert shown_cookies(curator, first) == HIDDEN
    curator.call("crawl_webentity", site)
    again = curator.call("crawl_webentity", site, cookies_string=shown_cookies(curator, first))
    assert cookies_of(curator, again) == COOKIES
    by_mode = curator.call("crawl_webentity_with_startmode", site, cookies_string=HIDDEN)
    assert cookies_of(curator, by_mode) == COOKIES


def test_the_latest_cookies_are_taken(curator: Curator, site: int) -> None:
    for cookies in (COOKIES, "session=b2"):
        curator.call("crawl_webentity", site, cookies_string=cookies)
    again = curator.call("crawl_webentity", site, cookies_string=HIDDEN)
    assert cookies_of(curator, again) == "session=b2"


def test_hidden_cookies_go_to_no_other_prefix(curator: Curator, site: int) -> None:
    curator.call("crawl_webentity", site, cookies_string=COOKIES)
    curator.call("store.add_webentity_lruprefixes", site, ["s:http|h:org|h:elsewhere|"])
    refusal = curator.refusal("crawl_webentity", site, cookies_string=HIDDEN)
    assert "give them again" in refusal["message"]


@pytest.mark.parametrize("method", ["crawl_webentity", "crawl.start_many"])
def test_without_a_crawl_to_repeat_there_are_no_cookies(curator: Curator, site: int, method: str) -> None:
    assert "give them again" in curator.refusal(method, site, cookies_string=HIDDEN)["message"]


def test_a_crawl_of_given_prefixes_takes_no_hidden_cookies(curator: Curator, site: int) -> None:
    curator.call("crawl_webentity", site, cookies_string=COOKIES)
    prefix = "s:http|h:com|h:x|"
    refusal = curator.refusal("crawl.start", site, "http://x.com/", prefix, [], cookies_string=HIDDEN)
    assert "give them again" in refusal["message"]
