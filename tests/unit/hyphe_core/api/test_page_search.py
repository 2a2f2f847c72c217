"""Pages found by words over the API, and the index that is filled in the background."""

from __future__ import annotations

import time
from typing import Any

import pytest

from hyphe_core.api import page_search
from hyphe_core.api.text_indexing import TextIndexer
from hyphe_core.maintenance import open_context, run_maintenance
from memory_structure.records import JobSpec
from tests.corpus_cases import batch, fetch, lru, page
from tests.unit.hyphe_core.api.conftest import Curator


@pytest.fixture
def filled(curator: Curator, monkeypatch: pytest.MonkeyPatch) -> Curator:
    """Thirty pages, and all the time a search may want for their index."""
    monkeypatch.setattr(page_search, "_BUDGET_SECONDS", 60.0)
    curator.structure.create_job(JobSpec(None, (), ()))
    for host in ("a.com", "b.com"):
        pages = (
            page(lru(host, str(n)), attempts=[fetch(title=f"Titre {n}")], text=f"Le chat numéro {n} dort")
            for n in range(15)
        )
        curator.structure.write_batch(batch(*pages))
    return curator


def urls(answer: Any) -> list[str]:
    return [each["url"] for each in answer["pages"]]


def test_pages_come_with_title_snippet_and_entity(filled: Curator) -> None:
    answer = filled.call("pages.search", "CHAT numero 7")
    assert urls(answer) == ["http://a.com/7", "http://b.com/7"]
    first = answer["pages"][0]
    assert (first["title"], first["snippet"]) == ("Titre 7", "Le chat numéro 7 dort")
    assert first["webentity_id"] == filled.structure.find_owner(first["lru"]).web_entity_id  # type: ignore[union-attr]
    assert (answer["not_indexed"], answer["indexing"], answer["token"]) == (0, True, None)


def test_tokens_lead_through_all_pages_of_one_entity(filled: Curator) -> None:
    owner = filled.structure.find_owner(lru("b.com", "1"))
    assert owner is not None
    seen: list[str] = []
    token = None
    for _ in range(10):
        answer = filled.call("pages.search", "chat", owner.web_entity_id, 4, token)
        seen += urls(answer)
        token = answer["token"]
        if token is None:
            break
    assert seen == [f"http://b.com/{n}" for n in range(15)]
    assert "token" in filled.refusal("pages.search", "chat", token="bm90IG91cnM=")["message"]


def test_without_the_option_nothing_is_indexed_and_the_answer_says_so(filled: Curator) -> None:
    filled.call("set_corpus_options", options={"index_text": False})
    answer = filled.call("pages.search", "chat")
    assert (answer["pages"], answer["not_indexed"], answer["indexing"]) == ([], 30, False)


def test_the_maintenance_job_indexes_whatever_the_option_says(filled: Curator) -> None:
    filled.call("set_corpus_options", options={"index_text": False})
    context = open_context(filled.service.registry, filled.corpus)
    dry = run_maintenance("index-text", context, dry_run=True)
    assert (dry.n_changes, filled.structure.n_texts_waiting()) == (30, 30)
    assert run_maintenance("index-text", context).n_changes == 30
    assert run_maintenance("index-text", context).n_changes == 0
    assert len(filled.call("pages.search", "chat", count=100)["pages"]) == 30


def test_what_a_search_has_no_time_for_is_indexed_in_the_background(
    filled: Curator, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(page_search, "_BUDGET_SECONDS", 0.0)
    filled.call("pages.search", "chat")  # has time for some of the thirty pages
    deadline = time.monotonic() + 20
    while filled.structure.n_texts_waiting() and time.monotonic() < deadline:
        time.sleep(0.01)
    assert filled.structure.n_texts_waiting() == 0


def test_the_indexer_passes_over_a_store_that_fails(filled: Curator) -> None:
    paused: list[float] = []
    indexer = TextIndexer(paused.append)
    broken = filled.structure
    broken.close()
    indexer.note(broken)
    deadline = time.monotonic() + 20
    while not paused and time.monotonic() < deadline:
        time.sleep(0.01)
    assert paused
