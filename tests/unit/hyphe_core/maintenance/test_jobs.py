"""Maintenance jobs on a real store, damaged on purpose."""

import hashlib
import os
import socket
import subprocess
import sys
from dataclasses import replace
from datetime import UTC, datetime, timedelta

import pytest

from hyphe_core.crawl.hosts import host_key
from hyphe_core.maintenance import (
    DuplicateKind,
    MaintenanceJob,
    TwinForm,
    TwinGroup,
    get_maintenance_job,
    list_maintenance_jobs,
    open_context,
    run_maintenance,
    twins,
)
from hyphe_core.maintenance.integrity import BODY_LAW
from hyphe_core.maintenance.job import LOG_KIND
from hyphe_core.maintenance.redirects import follow_redirect
from memory_structure.creation_rules import CreationRule, Preset
from memory_structure.errors import NotFound
from memory_structure.opening import open_registry
from memory_structure.parses import PageParse
from memory_structure.records import (
    Area,
    Batch,
    EndReason,
    Fetch,
    FetchedPage,
    FetchError,
    FoundLink,
    JobSpec,
    JobState,
    LinkKind,
)
from memory_structure.registry import Command
from memory_structure.resolutions import Resolution
from memory_structure.url_cutter import UrlCutter
from tests.export_cases import BODIES, fill

lru = UrlCutter().lru


@pytest.fixture
def context(tmp_path):
    registry = open_registry(tmp_path)
    fill(registry)
    yield open_context(registry, "exports")
    registry.close()


def logged(context):
    return [entry.message for entry in context.structure.iter_logs() if entry.kind == LOG_KIND]


# -- the frame


@pytest.mark.parametrize("job", list_maintenance_jobs(), ids=lambda job: job.name)
def test_a_dry_run_changes_nothing_and_a_second_run_nothing_more(context, job):
    before = context.structure.version()
    report = run_maintenance(job.name, context, dry_run=True)
    assert report.dry_run
    assert context.structure.version() == before
    assert logged(context) == []
    run_maintenance(job.name, context)
    again = run_maintenance(job.name, context)
    assert again.n_changes == 0
    assert again.findings == ()


def test_start_and_end_are_logged_with_what_changed(context):
    report = run_maintenance("rebuild", context)
    assert logged(context) == ["rebuild: started", f"rebuild: ended: {report.summary}"]


def test_a_fault_is_logged_and_raised(context, monkeypatch):
    def fail(*args, **kwargs):
        raise RuntimeError("broken")

    monkeypatch.setattr(type(get_maintenance_job("rebuild")), "run", fail)
    with pytest.raises(RuntimeError, match="broken"):
        run_maintenance("rebuild", context)
    assert logged(context)[-1] == "rebuild: failed: broken"


def test_an_unknown_job_is_refused_with_the_names_there_are(context):
    with pytest.raises(NotFound, match="check, rebuild"):
        run_maintenance("tidy", context)
    assert logged(context) == []


def test_a_job_cannot_be_made_without_its_work():
    with pytest.raises(TypeError):
        type("Idle", (MaintenanceJob,), {"name": "idle", "description": "Nothing."})()


# -- check


def test_check_names_a_body_that_is_absent(context):
    digest = hashlib.sha256(BODIES["http://b.example.org/x?q=1"]).hexdigest()
    context.blobs.delete(digest)
    (finding,) = run_maintenance("check", context).findings
    assert (finding.law, finding.subject) == (BODY_LAW, lru("http://b.example.org/x?q=1"))
    assert (finding.stored, finding.expected) == ("absent", digest)


def test_a_body_that_no_fetch_names_is_a_note_only(context):
    body = b"stored just before the worker was killed"
    context.blobs.put(hashlib.sha256(body).hexdigest(), body)
    report = run_maintenance("check", context)
    assert report.findings == ()
    assert report.notes == ("1 body kept that no fetch names",)


def test_check_and_rebuild_report_what_the_structure_finds(context, monkeypatch):
    from memory_structure.corpus_records import Finding

    finding = Finding("weights equal a recomputation", "1 -> 2", "3", "2")
    monkeypatch.setattr(type(context.structure), "check", lambda self, limit=100: [finding])
    monkeypatch.setattr(type(context.structure), "rebuild", lambda self, *, dry_run=False: [finding])
    assert run_maintenance("check", context).findings == (finding,)
    for name in ("rebuild", "update-links"):
        dry, real = (run_maintenance(name, context, dry_run=dry_run) for dry_run in (True, False))
        assert dry.findings == real.findings == (finding,)
        assert "1 record to put right" in dry.summary
        assert "1 record put right" in real.summary


# -- reapply-rules


def test_rules_added_later_are_applied_to_known_pages(context):
    context.structure.add_rule(CreationRule(lru("http://a.example.com"), Preset.parse("subdomain")))
    dry = run_maintenance("reapply-rules", context, dry_run=True)
    assert dry.n_changes > 0
    assert context.structure.find_web_entity_by_prefix(lru("http://a.example.com")) is None
    real = run_maintenance("reapply-rules", context)
    assert (real.n_changes, real.notes) == (dry.n_changes, dry.notes)
    assert context.structure.find_web_entity_by_prefix(lru("http://a.example.com")) is not None
    assert run_maintenance("check", context).findings == ()


# -- resolve-redirects


def redirect(source, target, moment=0):
    at = datetime(2026, 2, 1, 0, 0, moment, tzinfo=UTC)
    fetch = Fetch(1, at, status=302, redirect_lru=lru(target), n_links=1)
    found = FoundLink(lru(target), LinkKind.REDIRECT, 1, "", "", Area.MAIN, None)
    return FetchedPage(lru(source), (fetch,), (found,))


def test_redirects_are_followed_to_their_ends_and_loops_are_told(context):
    chain = [redirect("http://r.com/1", "http://r.com/2"), redirect("http://r.com/2", "http://r.com/3")]
    loop = [redirect("http://l.com/1", "http://l.com/2"), redirect("http://l.com/2", "http://l.com/1")]
    context.structure.write_batch(Batch((*chain, *loop)))
    report = run_maintenance("resolve-redirects", context)
    trails = {trail.lru: (trail.target_lru, trail.n_hops, trail.loops) for trail in report.trails}
    assert trails == {
        lru("http://a.example.com/moved"): (lru("http://c.example.net/deep/er"), 1, False),
        lru("http://r.com/1"): (lru("http://r.com/3"), 2, False),
        lru("http://r.com/2"): (lru("http://r.com/3"), 1, False),
        lru("http://l.com/1"): (lru("http://l.com/1"), 2, True),
        lru("http://l.com/2"): (lru("http://l.com/2"), 2, True),
    }
    assert report.summary == "5 redirecting pages: 1 chain of more than one hop, 2 in loops"
    assert len(report.notes) == 2


def shortened(structure, *, source="http://s.com/"):
    """A page that links to two short addresses and to the target of one of them."""
    found = [
        FoundLink(lru(url), LinkKind.HYPERLINK, 1, anchor, "nofollow", Area.MAIN, None)
        for url, anchor in [
            ("http://bit.ly/one", "One"),
            ("http://bit.ly/two", "Two"),
            ("http://t.com/two", ""),
        ]
    ]
    fetch = Fetch(1, datetime(2026, 2, 1, tzinfo=UTC), status=200, n_links=3)
    structure.write_batch(Batch((FetchedPage(lru(source), (fetch,), tuple(found)),)))


def answer(structure, job_id, url, target):
    at = datetime.now(UTC)
    fetch = Fetch(job_id, at, status=301, redirect_lru=lru(target), n_links=1)
    found = FoundLink(lru(target), LinkKind.REDIRECT, 1, "", "", Area.MAIN, None)
    structure.write_batch(Batch((FetchedPage(lru(url), (fetch,), (found,)),)))


def test_short_addresses_are_asked_by_a_crawl_job_and_their_targets_linked(context):
    structure, registry = context.structure, context.registry
    shortened(structure)
    n_jobs = len(structure.list_jobs())
    dry = run_maintenance("resolve-redirects", context, dry_run=True)
    assert "0 short addresses resolved, 2 to be asked, 0 links added" in dry.summary
    assert len(structure.list_jobs()) == n_jobs
    report = run_maintenance("resolve-redirects", context)
    (job,) = structure.list_jobs()[n_jobs:]
    assert any(f"crawl job {job.job_id}" in note for note in report.notes)
    assert job.spec.start_urls == ("http://bit.ly/one", "http://bit.ly/two")
    assert (job.spec.max_depth, job.spec.web_entity_id) == (0, None)
    assert lru("http://bit.ly/") in job.spec.follow_prefixes
    assert [e.job_id for e in registry.list_queue(context.corpus_id)][-1] == job.job_id
    again = run_maintenance("resolve-redirects", context)
    assert any("already" in note for note in again.notes)
    assert len(structure.list_jobs()) == n_jobs + 1
    answer(structure, job.job_id, "http://bit.ly/one", "http://t.com/one")
    answer(structure, job.job_id, "http://bit.ly/two", "http://t.com/two")
    structure.move_job(job.job_id, JobState.FINISHED, end=EndReason.COMPLETE)
    report = run_maintenance("resolve-redirects", context)
    assert "2 short addresses resolved, 0 to be asked, 1 link added" in report.summary
    assert report.n_changes == 1
    links = {link.target_lru: link for link in structure.list_outlinks(lru("http://s.com/"))}
    assert len(links) == 4
    made = links[lru("http://t.com/one")]
    assert (made.anchor, made.rel) == ("One", "nofollow via:bit.ly")
    assert structure.check() == []
    assert run_maintenance("resolve-redirects", context).n_changes == 0
    assert set(registry.find_resolutions()) == {"http://bit.ly/one", "http://bit.ly/two"}


def test_what_one_corpus_found_out_serves_the_others(context):
    moment = datetime.now(UTC)
    later = moment + timedelta(days=1)
    context.registry.keep_resolutions(
        [
            Resolution("http://bit.ly/one", "http://t.com/one", ("http://bit.ly/one",), moment, later),
            Resolution("http://bit.ly/two", None, ("http://bit.ly/two",), moment, later),
        ]
    )
    shortened(context.structure)
    n_jobs = len(context.structure.list_jobs())
    report = run_maintenance("resolve-redirects", context)
    assert "1 short address resolved, 0 to be asked, 1 link added" in report.summary
    assert len(context.structure.list_jobs()) == n_jobs


def test_a_corpus_that_wants_no_targets_asks_for_none(context):
    structure = context.structure
    structure.set_options(replace(structure.options(), decode_redirects=False))
    shortened(structure)
    n_jobs = len(structure.list_jobs())
    assert "short" not in run_maintenance("resolve-redirects", context).summary
    assert len(structure.list_jobs()) == n_jobs


@pytest.mark.parametrize(
    ("targets", "expected"),
    [
        ({}, ("a", 0, False)),
        ({"a": "b"}, ("b", 1, False)),
        ({"a": "a"}, ("a", 1, True)),
        ({"a": "b", "b": "c", "c": "b"}, ("b", 3, True)),
    ],
)
def test_a_redirect_is_followed(targets, expected):
    assert follow_redirect("a", targets)[1:] == expected


# -- report-twins


def answered(url, status=200, **more):
    at = datetime(2026, 2, 1, tzinfo=UTC)
    return FetchedPage(lru(url), (Fetch(1, at, status=status, **more),))


def store_twins(structure):
    """Two groups of twins (four forms of one page, two of another) beside pages that only look alike."""
    structure.write_batch(
        Batch(
            (
                redirect("http://t.com/x", "https://www.t.com/x"),
                answered("https://t.com/x"),
                answered("https://www.t.com/x"),
                answered("http://u.co.uk", None, error=FetchError.TIMEOUT),
                answered("http://alone.com/a"),
                answered("https://alone.com/b"),
                answered("http://github.io"),
                answered("http://192.0.2.1/"),
                answered("https://192.0.2.1/"),
                answered("http://ported.com:443/"),
                answered("https://ported.com/"),
            )
        )
    )
    structure.declare_pages([lru("http://www.t.com/x"), lru("http://www.u.co.uk")])


def test_twins_are_told_with_what_became_of_each(context):
    store_twins(context.structure)
    before = list(context.structure.iter_pages())
    report = run_maintenance("report-twins", context)
    timeout = FetchError.TIMEOUT
    assert [list(map(tuple, group.forms)) for group in report.twins] == [
        [
            (lru("https://www.t.com/x"), True, 200, None, None),
            (lru("https://t.com/x"), True, 200, None, None),
            (lru("http://www.t.com/x"), False, None, None, None),
            (lru("http://t.com/x"), True, 302, None, lru("https://www.t.com/x")),
        ],
        [
            (lru("http://u.co.uk"), True, None, timeout, None),
            (lru("http://www.u.co.uk"), False, None, None, None),
        ],
    ]
    assert report.summary == (
        "2 groups of twins, 6 pages in all: in 1 one redirects to another, "
        "in 1 several have content of their own"
    )
    assert (report.n_changes, report.findings) == (0, ())
    assert list(context.structure.iter_pages()) == before


def test_a_corpus_without_twins_has_none(context):
    report = run_maintenance("report-twins", context)
    assert (report.twins, report.summary) == ((), "no page is known in several forms")


def test_equal_hashes_alone_make_no_twins(context, monkeypatch):
    store_twins(context.structure)
    expected = run_maintenance("report-twins", context).twins
    monkeypatch.setattr(twins, "hash", lambda key: len(key), raising=False)
    assert run_maintenance("report-twins", context).twins == expected


def test_a_page_that_redirects_to_itself_or_away_redirects_to_no_twin():
    def group(target):
        forms = (("http", target), ("https", None))
        return TwinGroup(tuple(TwinForm(lru(f"{s}://a.com"), True, 200, None, to) for s, to in forms))

    leads = {target: group(lru(target)) for target in ("http://a.com", "https://a.com", "http://b.com")}
    assert {target: each.has_inner_redirect for target, each in leads.items()} == {
        "http://a.com": False,
        "https://a.com": True,
        "http://b.com": False,
    }
    assert {each.n_contents for each in leads.values()} == {1}
    assert group(None).n_contents == 2


# -- reap-jobs


def job_in(context, *moves):
    spec = JobSpec(1, ("http://a.example.com/", "nonsense"), (lru("http://a.example.com"),))
    job = context.structure.create_job(spec)
    for state in moves:
        context.structure.move_job(job.job_id, state, end=EndReason.COMPLETE)
    return job.job_id


def queue_of(context):
    return {
        entry.job_id: (entry.command, entry.worker_id) for entry in context.registry.list_queue("exports")
    }


@pytest.fixture
def only_new_jobs(context):
    """The job of the corpus is out of the way."""
    context.structure.move_job(1, JobState.FINISHED)
    return context


def ended_process():
    process = subprocess.Popen([sys.executable, "-c", ""])
    process.wait()
    return process.pid


def test_jobs_that_fell_out_of_the_queue_come_back(only_new_jobs):
    context = only_new_jobs
    pending = job_in(context)
    running = job_in(context, JobState.RUNNING)
    paused = job_in(context, JobState.PAUSED)
    dry = run_maintenance("reap-jobs", context, dry_run=True)
    assert queue_of(context) == {}
    report = run_maintenance("reap-jobs", context)
    assert report.notes == dry.notes
    assert queue_of(context) == {pending: (Command.RUN, ""), running: (Command.RUN, "")}
    states = {job.job_id: job.state for job in context.structure.list_jobs()}
    assert (states[running], states[paused]) == (JobState.PENDING, JobState.PAUSED)


def test_jobs_that_ended_leave_the_queue(only_new_jobs):
    context = only_new_jobs
    job_id = job_in(context, JobState.RUNNING, JobState.FINISHED)
    context.registry.enqueue("exports", job_id, [])
    run_maintenance("reap-jobs", context)
    assert queue_of(context) == {}


@pytest.mark.parametrize("is_here", [True, False])
def test_jobs_of_a_dead_worker_are_freed(only_new_jobs, is_here):
    """A process of this machine that has ended is dead at once, one elsewhere when its lease has run out."""
    context = only_new_jobs
    job_id = job_in(context)
    host = host_key("http://a.example.com/", None)
    context.registry.enqueue("exports", job_id, [host])
    machine, lease = (socket.gethostname(), 1000.0) if is_here else ("elsewhere", -1.0)
    context.registry.beat("w1", machine, ended_process(), 1000.0)
    assert [entry.job_id for entry in context.registry.claim_jobs("w1", 9, 1000.0)] == [job_id]
    context.registry.beat("w1", machine, ended_process(), lease)
    context.structure.move_job(job_id, JobState.RUNNING)
    assert queue_of(context)[job_id][1] == "w1"

    dry = run_maintenance("reap-jobs", context, dry_run=True)
    assert queue_of(context)[job_id][1] == "w1"
    report = run_maintenance("reap-jobs", context)
    assert (
        report.notes
        == dry.notes
        == (
            f"job {job_id}: freed from a worker that is gone",
            f"job {job_id}: ran nowhere, waits again",
        )
    )
    assert queue_of(context) == {job_id: (Command.RUN, "")}
    assert context.structure.get_job(job_id).state is JobState.PENDING


def test_jobs_of_a_living_worker_are_left_alone(only_new_jobs):
    context = only_new_jobs
    job_id = job_in(context)
    context.registry.enqueue("exports", job_id, [])
    context.registry.beat("w1", socket.gethostname(), os.getpid(), 1000.0)
    context.registry.claim_jobs("w1", 9, 1000.0)
    context.structure.move_job(job_id, JobState.RUNNING)
    report = run_maintenance("reap-jobs", context)
    assert report.notes == ()
    assert queue_of(context) == {job_id: (Command.RUN, "w1")}
    assert context.structure.get_job(job_id).state is JobState.RUNNING


# -- report-duplicates


def with_text(url, text, digest="", **more):
    page = answered(url, digest=digest or None, **more)
    return replace(page, text=text, parse=PageParse(signature=("" if digest else "ab") * 16))


def store_duplicates(structure):
    """Two hosts with the same three pages, a text that was edited a little, and what is alike by chance."""
    text = " ".join(f"word{i % 40}" for i in range(400))
    batch = [
        with_text(f"http://{host}/{name}", f"{name} {name} short", digest=f"{name:0<64}")
        for host in ("one.org", "two.org")
        for name in ("a", "b", "c")
    ]
    batch += [
        with_text("http://three.org/x", text + " once", digest="1" * 64),
        with_text("http://three.org/y", text + " other", digest="2" * 64),
        with_text("http://three.org/z", "brief", digest="3" * 64),
        with_text("http://four.org/z", "brief", digest="4" * 64),
        with_text("http://four.org/gone", "", digest=f"{'a':0<64}", error=FetchError.TRUNCATED),
        answered("http://four.org/lost", 404, digest=f"{'a':0<64}"),
    ]
    structure.write_batch(Batch(tuple(batch)))


def test_duplicates_and_mirrors_are_told(context):
    store_duplicates(context.structure)
    report = run_maintenance("report-duplicates", context)
    same, alike = DuplicateKind.SAME, DuplicateKind.ALIKE
    assert report.duplicates == (
        *((same, (lru(f"http://one.org/{n}"), lru(f"http://two.org/{n}"))) for n in "abc"),
        (alike, (lru("http://three.org/x"), lru("http://three.org/y"))),
    )
    assert report.mirrors == ((lru("http://one.org"), lru("http://two.org"), 3, 3, 3),)
    assert report.summary == (
        "3 groups of pages with the same content, 1 with nearly the same words, "
        "1 pair of hosts that mirror each other"
    )


def test_without_bodies_signatures_tell_duplicates(context):
    context.structure.set_options(replace(context.structure.options(), keep_bodies=False))
    context.structure.write_batch(Batch((with_text("http://a.com/1", ""), with_text("http://b.com/1", ""))))
    report = run_maintenance("report-duplicates", context)
    assert [group.lrus for group in report.duplicates] == [(lru("http://a.com/1"), lru("http://b.com/1"))]


def test_a_corpus_without_duplicates_has_none(context):
    report = run_maintenance("report-duplicates", context)
    assert (report.duplicates, report.mirrors) == ((), ())
