"""The contract of the registry: corpora, queue, workers, hosts; over each backend."""

from __future__ import annotations

import time
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from memory_structure.corpus_records import CorpusOptions
from memory_structure.errors import (
    AlreadyExists,
    CorruptCorpus,
    InvalidValue,
    NotFound,
    StoreFull,
    StoreLocked,
)
from memory_structure.opening import open_registry
from memory_structure.registry import Command, HostKey
from memory_structure.resolutions import Resolution
from memory_structure.stored.registry import StoredRegistry, corpus_id_of
from memory_structure.stored.schema import CORPORA
from tests.corpus_cases import SPEC, batch, lru, page
from tests.mongodb_server import MongoServer

X, Y = HostKey("", "x.com:80"), HostKey("", "y.com:80")


@pytest.fixture
def registry(backend: str, request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[StoredRegistry]:
    uri = None
    if backend == "mongodb":
        server: MongoServer = request.getfixturevalue("mongodb_server")
        uri = server.uri
    opened = open_registry(tmp_path / "data", uri)
    assert isinstance(opened, StoredRegistry)
    yield opened
    for entry in opened.list_corpora():
        for queued in opened.list_queue(entry.corpus_id):
            opened.release_job(entry.corpus_id, queued.job_id, queued.worker_id, done=True)
        opened.destroy_corpus(entry.corpus_id)
    opened._storage.destroy()


def make(
    registry: StoredRegistry, name: str = "Corpus", n_jobs: int = 0, hosts: tuple[HostKey, ...] = (X,)
) -> str:
    corpus_id = registry.create_corpus(name, CorpusOptions()).corpus_id
    for job_id in range(1, n_jobs + 1):
        registry.enqueue(corpus_id, job_id, hosts)
    return corpus_id


def of_another_process(registry: StoredRegistry) -> StoredRegistry:
    """The same registry without what it remembers."""
    stores = registry._stores
    return StoredRegistry(registry._storage, stores.open_database, stores.open_packs, stores._remove_database)


# -- corpora


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("Élections 2027 !", "lections-2027-"),
        ("a_b-c", "a_b-c"),
        ("--x--", "x--"),
        ("--hyphe--", "--hyphe--"),
        ("A very long name of a corpus", "a-very-long-name"),
        ("日本", "corpus"),
    ],
)
def test_ids_come_from_names(name: str, expected: str) -> None:
    assert corpus_id_of(name) == expected


def test_corpus_is_made_found_renamed_destroyed(registry: StoredRegistry) -> None:
    entry = registry.create_corpus("My Corpus", CorpusOptions(precision_limit=2), "hash")
    assert (entry.corpus_id, entry.name, entry.password_hash, entry.started) == (
        "my-corpus",
        "My Corpus",
        "hash",
        False,
    )
    assert registry.get_corpus("my-corpus") == registry.get_corpus("My Corpus") == entry
    assert registry.open_structure("my-corpus").options().precision_limit == 2
    assert registry.rename_corpus("my-corpus", "Other").corpus_id == "my-corpus"
    with pytest.raises(NotFound):
        registry.get_corpus("My Corpus")
    registry.set_started("my-corpus", True)
    registry.touch_corpus("my-corpus")
    assert registry.get_corpus("Other").started
    assert registry.get_corpus("Other").last_activity_at >= entry.last_activity_at
    registry.destroy_corpus("my-corpus")
    assert registry.list_corpora() == []
    with pytest.raises(NotFound):
        registry.open_structure("my-corpus")
    with pytest.raises(NotFound):
        registry.destroy_corpus("my-corpus")


def test_names_are_used_once_and_ids_differ(registry: StoredRegistry) -> None:
    first, second = make(registry, "a b"), make(registry, "a+b")
    assert (first, second) == ("a-b", "a-b-1")
    with pytest.raises(AlreadyExists, match="a-b"):
        make(registry, "a b")
    with pytest.raises(AlreadyExists):
        registry.rename_corpus(second, "a b")
    with pytest.raises(InvalidValue):
        make(registry, "  ")
    assert [entry.corpus_id for entry in registry.list_corpora()] == ["a-b", "a-b-1"]


def test_spaces_around_a_name_and_the_form_of_its_letters_do_not_count(registry: StoredRegistry) -> None:
    entry = registry.create_corpus(" \u00c9nergie ", CorpusOptions())
    assert (entry.name, entry.corpus_id) == ("\u00c9nergie", "nergie")
    for name in ("\u00c9nergie\t", "E\u0301nergie"):
        with pytest.raises(AlreadyExists, match="nergie"):
            registry.create_corpus(name, CorpusOptions())
    other = make(registry)
    assert registry.rename_corpus(other, " Other ").name == "Other"


def test_destroyed_corpus_leaves_nothing(registry: StoredRegistry) -> None:
    corpus_id = make(registry)
    structure = registry.open_structure(corpus_id)
    assert registry.open_structure(corpus_id) is structure
    structure.create_job(SPEC)
    structure.write_batch(batch(page(lru("a.com"))))
    blobs = registry.open_blobs(corpus_id)
    blobs.put("2c26b46b68ffc68ff99b453c1d30413413422d706483bfa0f98a5e886266e7ae", b"foo")
    registry.destroy_corpus(corpus_id)
    assert make(registry) == corpus_id
    assert registry.open_structure(corpus_id).counters().n_pages == 0
    assert list(registry.open_blobs(corpus_id).iter_digests()) == []


def test_corpus_made_again_by_another_process_is_not_the_old_one(
    registry: StoredRegistry, tmp_path: Path
) -> None:
    corpus_id = make(registry)
    old = registry.open_structure(corpus_id)
    old.create_job(SPEC)
    other = of_another_process(registry)
    other.destroy_corpus(corpus_id)
    with pytest.raises(NotFound):
        registry.open_structure(corpus_id)
    make(other)
    assert registry.open_structure(corpus_id) is not old
    assert registry.open_structure(corpus_id).list_jobs() == []


def test_corpus_at_work_is_not_destroyed(registry: StoredRegistry) -> None:
    corpus_id = make(registry, n_jobs=1)
    assert registry.claim_jobs("w", 1, 30.0)
    with pytest.raises(StoreLocked, match="worker w"):
        registry.destroy_corpus(corpus_id)
    assert registry.get_corpus(corpus_id)


# -- queue


def test_jobs_are_claimed_fairly_then_by_age(registry: StoredRegistry) -> None:
    one, two = make(registry, "one", 3), make(registry, "two", 1)
    claimed = registry.claim_jobs("w", 3, 30.0)
    assert [(e.corpus_id, e.job_id) for e in claimed] == [(one, 1), (two, 1), (one, 2)]
    assert {e.worker_id for e in claimed} == {"w"}
    assert [(e.corpus_id, e.job_id) for e in registry.claim_jobs("v", 5, 30.0)] == [(one, 3)]
    assert registry.claim_jobs("v", 5, 30.0) == []
    assert [e.worker_id for e in registry.list_queue(one)] == ["w", "w", "v"]


def test_waiting_jobs_come_in_the_order_they_are_taken_with_what_holds_them(registry: StoredRegistry) -> None:
    one, two = make(registry, "one", 3), make(registry, "two", 1)
    registry.enqueue_many(two, [(2, [X, Y]), (3, [])])
    registry.claim_jobs("w", 1, 30.0)
    registry.lease_hosts("w", [X], 30.0)
    registry.command_job(one, 2, Command.PAUSE)
    waiting = registry.list_waiting()
    order = [(each.entry.corpus_id, each.entry.job_id) for each in waiting]
    assert order == [(two, 1), (one, 3), (two, 2), (two, 3), (one, 2)]
    assert [each.n_running for each in waiting] == [0, 1, 0, 0, 1]
    assert waiting[2].blocked_by == ((X, "w"),)
    assert waiting[3].blocked_by == ()
    assert [e.job_id for e in registry.claim_jobs("w", 9, 30.0)] == [job_id for _, job_id in order[:4]]
    assert [(each.entry.job_id, each.entry.command) for each in registry.list_waiting()] == [
        (2, Command.PAUSE)
    ]


def test_queued_twice_is_once(registry: StoredRegistry) -> None:
    corpus_id = make(registry, n_jobs=1)
    registry.enqueue(corpus_id, 1, [X])
    assert len(registry.list_queue()) == 1
    with pytest.raises(NotFound):
        registry.enqueue("absent", 1, [X])


def test_only_one_job_may_be_asked_for(registry: StoredRegistry) -> None:
    corpus_id = make(registry, n_jobs=3)
    assert [e.job_id for e in registry.claim_jobs("w", 5, 30.0, only=(corpus_id, 2))] == [2]


def test_job_whose_hosts_another_worker_holds_waits(registry: StoredRegistry) -> None:
    make(registry, n_jobs=1)
    registry.lease_hosts("w", [X], 30.0)
    assert registry.claim_jobs("v", 1, 30.0) == []
    assert len(registry.claim_jobs("w", 1, 30.0)) == 1


def test_commands_reach_the_holder_and_stop_claims(registry: StoredRegistry) -> None:
    corpus_id = make(registry, n_jobs=1)
    assert registry.command_job(corpus_id, 1, Command.PAUSE)
    assert registry.claim_jobs("w", 1, 30.0) == []
    registry.enqueue(corpus_id, 1, [X])
    assert registry.claim_jobs("w", 1, 30.0)[0].command is Command.RUN
    registry.command_job(corpus_id, 1, Command.CANCEL)
    assert [e.command for e in registry.beat("w", "here", 1, 30.0)] == [Command.CANCEL]
    assert not registry.command_job(corpus_id, 9, Command.PAUSE)


def test_released_jobs_are_free_or_gone(registry: StoredRegistry) -> None:
    corpus_id = make(registry, n_jobs=2)
    registry.claim_jobs("w", 2, 30.0)
    registry.release_job(corpus_id, 1, "someone else", done=True)
    assert len(registry.list_queue()) == 2
    registry.release_job(corpus_id, 1, "w", done=True)
    registry.release_job(corpus_id, 2, "w", done=False)
    assert [(e.job_id, e.worker_id) for e in registry.list_queue()] == [(2, "")]


def test_many_are_commanded_and_released_at_once(registry: StoredRegistry) -> None:
    corpus_id, other = make(registry, n_jobs=4), make(registry, "other", n_jobs=1)
    registry.claim_jobs("w", 1, 30.0, only=(corpus_id, 2))
    assert registry.command_jobs(corpus_id, [1, 2, 9, 4], Command.CANCEL) == {1: "", 2: "w", 4: ""}
    assert registry.command_jobs(corpus_id, [], Command.CANCEL) == {}
    commands = {(e.corpus_id, e.job_id): e.command for e in registry.list_queue()}
    assert commands == {
        (corpus_id, 1): Command.CANCEL,
        (corpus_id, 2): Command.CANCEL,
        (corpus_id, 3): Command.RUN,
        (corpus_id, 4): Command.CANCEL,
        (other, 1): Command.RUN,
    }
    registry.release_jobs(corpus_id, [1, 2, 9, 4], "", done=True)
    assert [(e.job_id, e.worker_id) for e in registry.list_queue(corpus_id)] == [(2, "w"), (3, "")]
    registry.release_jobs(corpus_id, [2, 3], "w", done=False)
    assert [(e.job_id, e.worker_id) for e in registry.list_queue(corpus_id)] == [(2, ""), (3, "")]


# -- workers and hosts


def test_lease_that_ran_out_is_reaped(registry: StoredRegistry) -> None:
    make(registry, n_jobs=1)
    registry.beat("w", "here", 42, 0.0)
    registry.lease_hosts("w", [X], 0.0)
    registry.claim_jobs("w", 1, 0.0)
    time.sleep(0.002)
    assert [(e.worker_id, e.alive) for e in registry.list_workers()] == [("w", False)]
    assert [e.job_id for e in registry.reap()] == [1]
    assert registry.list_workers() == []
    assert registry.beat("w", "here", 42, 30.0) == []
    assert list(registry.lease_hosts("v", [X], 30.0)) == [X]


def test_living_workers_are_not_reaped(registry: StoredRegistry) -> None:
    make(registry, n_jobs=1)
    registry.claim_jobs("w", 1, 30.0)
    assert registry.reap() == []
    assert [e.job_id for e in registry.beat("w", "here", 42, 30.0)] == [1]
    assert [(e.machine, e.pid, e.alive) for e in registry.list_workers()] == [("here", 42, True)]


def test_dropped_worker_frees_what_it_held(registry: StoredRegistry) -> None:
    make(registry, n_jobs=1)
    registry.claim_jobs("w", 1, 30.0)
    registry.lease_hosts("w", [X, Y], 30.0)
    registry.drop_worker("w")
    assert [e.worker_id for e in registry.list_queue()] == [""]
    waits = registry.lease_hosts("v", [X, Y], 30.0)
    assert set(waits) == {X, Y}
    assert all(0 < seconds <= 1.0 for seconds in waits.values())


def test_host_is_held_by_one_worker_and_wanted_by_another(registry: StoredRegistry) -> None:
    assert registry.lease_hosts("w", [X], 30.0) == {X: 0.0}
    assert list(registry.lease_hosts("v", [X, Y], 30.0)) == [Y]
    assert registry.wanted_hosts("w") == [X]
    assert registry.wanted_hosts("v") == []
    registry.release_hosts("v", [(X, 5.0)])
    assert registry.wanted_hosts("w") == [X]
    registry.release_hosts("w", [(X, 5.0)])
    waits = registry.lease_hosts("v", [X], 30.0)
    assert 4.0 < waits[X] <= 5.0
    assert registry.wanted_hosts("v") == []


@pytest.mark.parametrize("name", ["a\nb", "a\x01b", "a\x7fb", "\u202eabc", "a\u2028b", "\ud800", "x" * 201])
def test_a_name_that_cannot_be_shown_on_a_line_is_refused(registry: StoredRegistry, name: str) -> None:
    with pytest.raises(InvalidValue):
        registry.create_corpus(name, CorpusOptions())
    corpus_id = make(registry)
    with pytest.raises(InvalidValue):
        registry.rename_corpus(corpus_id, name)
    assert [entry.name for entry in registry.list_corpora()] == ["Corpus"]


@pytest.mark.parametrize(
    "name", ["\u65e5\u672c\u8a9e", "\U0001f600", "a/b", "..", "-x", "x" * 200, "\u0645\u0646"]
)
def test_any_other_name_is_taken(registry: StoredRegistry, name: str) -> None:
    assert registry.create_corpus(name, CorpusOptions()).name == name


def test_a_lost_store_is_a_fault_and_not_an_empty_corpus(registry: StoredRegistry) -> None:
    corpus_id = make(registry)
    registry.open_structure(corpus_id).storage.destroy()
    again = of_another_process(registry)
    with pytest.raises(CorruptCorpus):
        again.open_structure(corpus_id)
    again.destroy_corpus(corpus_id)
    assert again.list_corpora() == []


def test_what_could_not_be_made_leaves_nothing(
    registry: StoredRegistry, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(*_: object) -> None:
        raise StoreFull("no room")

    with monkeypatch.context() as patch:
        patch.setattr("memory_structure.stored.core.Core._lay_out", fail)
        with pytest.raises(StoreFull):
            registry.create_corpus("Corpus", CorpusOptions())
    assert registry.list_corpora() == []
    assert registry._storage.count(CORPORA) == 0
    assert make(registry) == "corpus"


# -- redirectors


def resolution(url: str, target: str | None, days: float = 1.0) -> Resolution:
    now = datetime.now(UTC).replace(microsecond=0)
    return Resolution(url, target, (url, "http://b.com/"), now, now + timedelta(days=days))


def test_resolutions_are_shared_replaced_and_forgotten_when_they_expire(registry: StoredRegistry) -> None:
    one, gone = resolution("http://s.ly/1", "http://a.com/"), resolution("http://s.ly/2", None)
    registry.keep_resolutions([one, gone, resolution("http://s.ly/3", None, days=-1)])
    assert registry.find_resolutions() == {one.url: one, gone.url: gone}
    assert registry.find_resolutions(["http://s.ly/2", "http://s.ly/3", "http://s.ly/2"]) == {gone.url: gone}
    later = resolution("http://s.ly/1", "http://c.com/")
    registry.keep_resolutions([later])
    assert registry.find_resolutions([one.url]) == {one.url: later}


def test_changes_of_the_list_of_redirectors_are_kept(registry: StoredRegistry) -> None:
    assert registry.redirect_changes() == ()
    registry.change_redirects(["+s.ly", "-bit.ly", "+out.com/go?u"])
    assert registry.redirect_changes() == ("-bit.ly", "+out.com/go?u", "+s.ly")
    registry.change_redirects(["=bit.ly", "-s.ly"])
    assert registry.redirect_changes() == ("+out.com/go?u", "-s.ly")
