"""The list of redirectors is data: listed, changed for all corpora or for one, and tried."""

from __future__ import annotations

import json
from datetime import timedelta
from typing import Any

import pytest

from hyphe_core.api.call import Caller
from hyphe_core.clock import now
from memory_structure.resolutions import Resolution
from memory_structure.url_cutter import url_to_lru
from tests.corpus_cases import SPEC, batch, page
from tests.unit.hyphe_core.api.conftest import Curator

FACEBOOK = "l.facebook.com/l.php?u"


def listed(curator: Curator) -> dict[str, Any]:
    return {each["rule"]: (each["origin"], each["active"]) for each in curator.call("redirects.list")}


def everywhere(curator: Curator, name: str, *params: Any) -> Any:
    """A call that names no corpus."""
    method = curator.service.table.get(name)
    answer = curator.service.answer_blocking(method.bind([*params, None]), Caller())
    found: Any = answer.value
    assert found["code"] == "success", found
    return found["result"]


def test_changes_of_a_corpus_undo_each_other(curator: Curator) -> None:
    assert listed(curator)[FACEBOOK] == ("program", True)
    assert curator.call("redirects.remove", FACEBOOK) == ["-" + FACEBOOK]
    assert listed(curator)[FACEBOOK] == ("program", False)
    assert curator.call("redirects.add", ["go.example.org", FACEBOOK]) == ["+go.example.org"]
    assert listed(curator)["go.example.org"] == ("corpus", True)
    assert listed(curator)[FACEBOOK] == ("program", True)
    assert curator.call("redirects.remove", "go.example.org") == []
    assert "go.example.org" not in listed(curator)


def test_changes_for_all_corpora_are_those_of_the_operator(curator: Curator) -> None:
    assert everywhere(curator, "redirects.add", ["out.example.org/?u"]) == ["+out.example.org/?u"]
    assert listed(curator)["out.example.org/?u"] == ("instance", True)
    assert curator.call("redirects.remove", "out.example.org/?u") == ["-out.example.org/?u"]
    assert listed(curator)["out.example.org/?u"] == ("instance", False)
    assert curator.call("redirects.add", "out.example.org/?u") == []
    assert everywhere(curator, "redirects.remove", ["out.example.org/?u"]) == []


def test_what_is_no_redirector_is_not_removed(curator: Curator) -> None:
    words = curator.refusal("redirects.remove", ["bit.ly", "www.facebok.com/l.php?u"])["message"]
    assert "no redirector 'www.facebok.com/l.php?u'; did you mean www.facebook.com/l.php?u?" in words
    assert listed(curator)["bit.ly"] == ("program", True)


def test_a_bad_rule_is_refused_and_changes_nothing(curator: Curator) -> None:
    assert (
        "begins with the name of a host"
        in curator.refusal("redirects.add", ["go.example.org", "x"])["message"]
    )
    assert curator.structure.options().redirects == ()
    options = {"redirects": ["go.example.org"]}
    assert "+rule or -rule" in str(curator.refusal("set_corpus_options", options=options)["message"])


def test_changes_are_an_act_of_curation(curator: Curator) -> None:
    curator.call("redirects.add", "go.example.org")
    assert curator.acts()[0]["kind"] == "options"
    assert json.dumps(curator.call("set_corpus_options", options={})["redirects"]) == '["+go.example.org"]'


def test_addresses_are_tried_without_asking(curator: Curator) -> None:
    moment = now()
    curator.service.registry.keep_resolutions(
        [
            Resolution(
                "http://bit.ly/1",
                "http://b.org/",
                ("http://bit.ly/1", "http://b.org/"),
                moment,
                moment + timedelta(days=1),
            )
        ]
    )
    urls = [
        f"https://{FACEBOOK}=http%3A%2F%2Fb.org%2Fa",
        "http://bit.ly/1",
        "http://bit.ly/2",
        "http://b.org/?u=http://c.org",
    ]
    decoded, asked, unknown, plain = curator.call("redirects.resolve", urls)
    assert (decoded["target"], decoded["how"], decoded["shortener"]) == ("http://b.org/a", "decoded", False)
    assert (asked["target"], asked["how"], asked["shortener"]) == ("http://b.org/", "asked", True)
    assert asked["trail"] == ["http://bit.ly/1", "http://b.org/"]
    assert (unknown["target"], unknown["shortener"]) == (None, True)
    assert (plain["target"], plain["how"], plain["shortener"]) == (None, None, False)


@pytest.mark.parametrize("method", ["redirects.add", "redirects.remove"])
def test_the_same_change_twice_is_one(curator: Curator, method: str) -> None:
    rule = "go.example.org" if method.endswith("add") else FACEBOOK
    assert curator.call(method, rule) == curator.call(method, [rule, rule])


def test_shorteners_are_asked_on_request(curator: Curator) -> None:
    curator.structure.create_job(SPEC)
    curator.structure.write_batch(batch(page(url_to_lru("http://a.com/"), url_to_lru("http://bit.ly/1"))))
    found = curator.call("redirects.refresh")
    assert "1 to be asked" in found["summary"]
    assert "crawl job 2" in found["notes"][0]
    assert curator.structure.get_job(2).spec.start_urls == ("http://bit.ly/1",)
    assert found["links_added"] == 0
