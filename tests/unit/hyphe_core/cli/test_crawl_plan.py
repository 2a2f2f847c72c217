"""What `hyphe crawl` prepares in a real store, without crawling."""

import pytest

from hyphe_core.cli.crawl_jobs import lay_aside
from hyphe_core.cli.crawl_plan import CrawlWish, Manners, page_budgets, prepare
from hyphe_core.cli.url_lines import GivenLine
from hyphe_core.config import load_config
from hyphe_core.errors import NothingToDo, UsageFault
from memory_structure.errors import InvalidValue
from memory_structure.opening import open_registry
from memory_structure.records import EndReason, JobState, WebEntityStatus
from memory_structure.registry import Command


@pytest.fixture
def registry(tmp_path):
    registry = open_registry(tmp_path)
    yield registry
    registry.close()


def wish(*urls, **more):
    overrides = more.pop("overrides", {})
    given = tuple(GivenLine(f"argument {n}", url) for n, url in enumerate(urls, 1))
    return CrawlWish("c", load_config(None, {}, {"platform_rules": False, **overrides}), given, **more)


def jobs_of(registry, plan):
    return registry.open_structure(plan.entry.corpus_id).list_jobs(ids=plan.job_ids)


def no_word(line):
    raise AssertionError(line)


def test_one_entity_and_one_job_for_each_url_by_the_rules(registry):
    plan = prepare(
        registry,
        wish("http://a.com/x", "http://b.com", "http://www.a.com/y", rules=("http://b.com=path-1",)),
        no_word,
    )
    jobs = jobs_of(registry, plan)
    assert [job.spec.start_urls for job in jobs] == [
        ("http://a.com/x", "http://www.a.com/y"),
        ("http://b.com",),
    ]
    structure = registry.open_structure("c")
    entity = structure.get_web_entity(jobs[0].spec.web_entity_id)
    assert entity.status is WebEntityStatus.IN
    assert [page.url for page in entity.start_pages] == ["http://a.com/x", "http://www.a.com/y"]
    assert [entry.job_id for entry in registry.list_queue("c")] == list(plan.job_ids)
    assert [str(rule.preset) for rule in structure.rules().rules] == ["domain", "path-1"]


def test_manners_and_budgets_are_frozen_in_the_jobs(registry):
    manners = Manners(0.5, 3, "http://p:1", False, False, True)
    plan = prepare(
        registry,
        wish("http://a.com", depth=2, max_pages_per_entity=9, time_limit_seconds=60, manners=manners),
        no_word,
    )
    (spec,) = [job.spec for job in jobs_of(registry, plan)]
    assert (spec.max_depth, spec.max_pages, spec.time_limit_seconds) == (2, 9, 60)
    assert (spec.delay_seconds, spec.per_host, spec.proxy) == (0.5, 3, "http://p:1")
    assert (spec.obey_robots, spec.obey_crawl_delay, spec.allow_private_networks) == (False, False, True)


def test_a_new_corpus_takes_the_options_of_the_configuration(registry):
    overrides = {"creation_rule": "path-1", "obey_robots": False, "delay_seconds": 0.25, "keep_bodies": False}
    prepare(registry, wish("http://a.com/b/c", creation_rule="path-1", overrides=overrides), no_word)
    structure = registry.open_structure("c")
    options = structure.options()
    assert (options.obey_robots, options.delay_seconds, options.keep_bodies) == (False, 0.25, False)
    assert structure.find_owner("s:http|h:com|h:a|p:b|p:x|") is not None
    assert structure.find_owner("s:http|h:com|h:a|p:x|") is None


def test_bad_lines_are_told_and_skipped(registry):
    told = []
    plan = prepare(registry, wish("nothing at all", "http://a.com"), told.append)
    assert len(plan.job_ids) == 1
    assert told == ["argument 1: 'nothing at all' skipped: " + plan.skipped[0].reason]


@pytest.mark.parametrize("urls", [(), ("nothing at all",)])
def test_without_a_usable_url_nothing_is_written(registry, urls):
    with pytest.raises(NothingToDo):
        prepare(registry, wish(*urls), lambda line: None)
    assert registry.list_corpora() == []


@pytest.mark.parametrize("rule", ["http://a.com", "=domain", "http://a.com=quux", "a b=domain"])
def test_a_bad_rule_is_refused_before_anything_is_written(registry, rule):
    with pytest.raises(UsageFault, match="--rule"):
        prepare(registry, wish("http://a.com", rules=(rule,)), no_word)
    assert registry.list_corpora() == []


def test_an_unknown_default_rule_is_refused_before_anything_is_written(registry):
    with pytest.raises(InvalidValue):
        prepare(registry, wish("http://a.com", overrides={"creation_rule": "quux"}), no_word)
    assert registry.list_corpora() == []


def test_an_option_that_contradicts_the_corpus_is_an_error(registry):
    prepare(registry, wish("http://a.com", creation_rule="domain"), no_word)
    prepare(registry, wish("http://b.com", creation_rule="DOMAIN"), no_word)
    with pytest.raises(UsageFault, match="has the default creation rule domain, not page"):
        prepare(registry, wish("http://c.com", creation_rule="page"), no_word)
    assert registry.open_structure("c").find_owner("s:http|h:com|h:c|") is None


def test_an_existing_corpus_continues(registry):
    first = prepare(registry, wish("http://a.com"), no_word)
    second = prepare(registry, wish("http://b.com"), no_word)
    assert set(first.job_ids).isdisjoint(second.job_ids)
    assert second.notes == ()
    third = prepare(registry, wish("http://a.com"), no_word)
    assert "unfinished crawl job already" in third.notes[0]


def test_a_rule_that_takes_the_place_of_another_is_told(registry):
    def notes(rule):
        return prepare(
            registry, wish("http://b.com", rules=(rule,), resume=bool(registry.list_corpora())), no_word
        ).notes

    assert notes("http://a.com=path-1") == ()
    assert notes("http://www.a.com=path-1") == ()
    (note,) = notes("http://a.com=path-2")
    assert note.startswith("the rule at http://a.com is now path-2, no longer path-1")
    rules = registry.open_structure("c").rules().rules
    assert [str(rule.preset) for rule in rules] == ["domain", "path-2"]


def test_resume_takes_up_what_was_laid_aside_and_nothing_else(registry):
    plan = prepare(registry, wish("http://a.com", "http://b.com", "http://c.com"), no_word)
    structure = registry.open_structure("c")
    done, paused, failed = plan.job_ids
    structure.move_job(done, JobState.RUNNING)
    structure.move_job(done, JobState.FINISHED, end=EndReason.COMPLETE)
    registry.release_job("c", done, "", done=True)
    structure.move_job(failed, JobState.RUNNING)
    structure.move_job(failed, JobState.FAILED, end=EndReason.FAULT)
    registry.release_job("c", failed, "", done=True)
    lay_aside(registry, "c", structure, plan.job_ids, "interrupted")
    states = [job.state for job in structure.list_jobs()]
    assert states == [JobState.FINISHED, JobState.PAUSED, JobState.FAILED]
    assert [entry.command for entry in registry.list_queue("c")] == [Command.PAUSE]

    resumed = prepare(registry, wish(resume=True), no_word)
    assert resumed.job_ids == (paused, failed)
    queue = registry.list_queue("c")
    assert sorted(entry.job_id for entry in queue) == [paused, failed]
    assert {entry.command for entry in queue} == {Command.RUN}
    assert {job.state for job in structure.list_jobs(ids=resumed.job_ids)} == {JobState.PENDING}


def test_resume_with_the_same_urls_launches_only_what_has_no_job(registry):
    first = prepare(registry, wish("http://a.com"), no_word)
    again = prepare(registry, wish("http://a.com", "http://b.com", resume=True), no_word)
    assert again.job_ids[0] == first.job_ids[0]
    assert len(again.job_ids) == 2
    structure = registry.open_structure("c")
    for job_id in again.job_ids:
        structure.move_job(job_id, JobState.CANCELED)
        registry.release_job("c", job_id, "", done=True)
    done = prepare(registry, wish("http://a.com", "http://b.com", resume=True), no_word)
    assert done.job_ids == again.job_ids
    assert any("nothing was left to resume" in note for note in done.notes)
    assert registry.list_queue("c") == []


def test_there_is_nothing_to_resume_in_a_corpus_that_is_not_there(registry):
    with pytest.raises(NothingToDo, match="no corpus c"):
        prepare(registry, wish("http://a.com", resume=True), no_word)
    assert registry.list_corpora() == []


@pytest.mark.parametrize(
    ("n", "total", "each", "budgets"),
    [
        (3, None, None, [None, None, None]),
        (2, None, 5, [5, 5]),
        (3, 8, None, [3, 3, 2]),
        (3, 8, 2, [2, 2, 2]),
        (3, 2, None, [1, 1, 0]),
        (0, 5, None, []),
    ],
)
def test_the_total_budget_is_shared_evenly(n, total, each, budgets):
    assert page_budgets(n, total, each) == budgets


def test_an_entity_without_a_share_is_told_and_left_out(registry):
    plan = prepare(registry, wish("http://a.com", "http://b.com", max_pages=1), no_word)
    assert len(plan.job_ids) == 1
    assert "leaves no page to 1 of the web entities" in plan.notes[0]
