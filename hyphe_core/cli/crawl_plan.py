"""From what `hyphe crawl` was told to crawl jobs in the queue: corpus, rules, web entities, budgets."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import islice
from typing import Final

from hyphe_core.cli.corpus_choices import parse_rules
from hyphe_core.cli.crawl_jobs import launch_jobs, resume_jobs
from hyphe_core.cli.terminal import say, told
from hyphe_core.cli.url_lines import BadLine, GivenLine, GoodUrl, sort_lines
from hyphe_core.config import Config
from hyphe_core.crawl.corpus_options import new_corpus_options, new_corpus_rules, refuse_beyond_quota
from hyphe_core.crawl.declaring import declare_start_pages
from hyphe_core.errors import NothingToDo, UsageFault
from memory_structure.creation_rules import CreationRule, Preset
from memory_structure.errors import NotFound
from memory_structure.jobs import ENDED
from memory_structure.lru import lru_to_url
from memory_structure.parse_options import CrawlOrder
from memory_structure.records import Job
from memory_structure.registry import CorpusEntry, Registry
from memory_structure.structure import MemoryStructure

_ENTITIES_AT_ONCE: Final = 200  # keeps each write transaction short


@dataclass(frozen=True, slots=True)
class Manners:
    """How hosts are asked, as far as the command line says; None = as the corpus has it."""

    delay_seconds: float | None = None
    per_host: int | None = None
    proxy: str | None = None
    obey_robots: bool | None = None
    obey_crawl_delay: bool | None = None
    allow_private_networks: bool | None = None


@dataclass(frozen=True, slots=True)
class CrawlWish:
    """What a crawl was asked for; None = not said."""

    corpus: str
    config: Config
    given: tuple[GivenLine, ...]
    manners: Manners = Manners()
    depth: int = 1
    creation_rule: str | None = None
    rules: tuple[str, ...] = ()
    max_pages: int | None = None
    max_pages_per_entity: int | None = None
    time_limit_seconds: float | None = None
    resume: bool = False
    order: CrawlOrder | None = None


@dataclass(frozen=True, slots=True)
class CrawlPlan:
    """The jobs to wait for, what was skipped of the input, and what else is worth telling."""

    entry: CorpusEntry
    job_ids: tuple[int, ...]
    skipped: tuple[BadLine, ...]
    notes: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Target:
    """A web entity to crawl, from those start pages, with its share of the budget."""

    web_entity_id: int
    urls: tuple[str, ...]
    max_pages: int | None


def prepare(registry: Registry, wish: CrawlWish, tell: Callable[[str], None]) -> CrawlPlan:
    """Make corpus, rules and web entities as far as they are not there, and put the jobs into the queue.
    Lines that are no URL are told and skipped.

    Raises NothingToDo, before anything is written, when no URL can be used and there is no job to resume;
    UsageFault when an option contradicts an existing corpus.
    """
    entry = _find_corpus(registry, wish.corpus)
    options = registry.open_structure(entry.corpus_id).options() if entry else new_corpus_options(wish.config)
    policy = options.url_policy
    lines = sort_lines(wish.given, policy)
    for bad in lines.bad:
        tell(bad.sentence())
    rules = parse_rules(wish.rules, policy)
    _refuse_nothing(wish, lines.good, entry)
    if entry is None:
        refuse_beyond_quota(wish.config, registry)
        entry = registry.create_corpus(wish.corpus, options, rules=new_corpus_rules(wish.config))
    structure = registry.open_structure(entry.corpus_id)
    _refuse_contradiction(structure, wish)
    rule_notes = _add_rules(structure, rules)
    earlier = structure.list_jobs()
    resumed = resume_jobs(registry, entry.corpus_id, structure) if wish.resume else []
    targets, notes = _targets(structure, wish, lines.good, earlier)
    launched: list[int] = []
    waiting = iter(told(targets, "crawl jobs made", say))
    while some := list(islice(waiting, _ENTITIES_AT_ONCE)):
        launched += launch_jobs(registry, entry.corpus_id, wish, some)
    if not (resumed or launched):
        if not earlier:
            raise NothingToDo(f"corpus {entry.name} has no crawl job to resume, and no URL was given")
        notes.append("nothing was left to resume: every job has ended")
        launched = [job.job_id for job in earlier]
    return CrawlPlan(entry, tuple(sorted({*resumed, *launched})), lines.bad, (*rule_notes, *notes))


def _find_corpus(registry: Registry, corpus: str) -> CorpusEntry | None:
    try:
        return registry.get_corpus(corpus)
    except NotFound:
        return None


def _refuse_nothing(wish: CrawlWish, good: Sequence[GoodUrl], entry: CorpusEntry | None) -> None:
    if wish.resume and entry is None:
        raise NothingToDo(f"there is no corpus {wish.corpus} to resume")
    if good or (wish.resume and not wish.given):
        return
    raise NothingToDo("no usable URL was given" if wish.given else "no URL was given")


def _refuse_contradiction(structure: MemoryStructure, wish: CrawlWish) -> None:
    if wish.creation_rule is None:
        return
    wanted, present = Preset.parse(wish.creation_rule), structure.rules().default.preset
    if wanted != present:
        raise UsageFault(
            f"corpus {wish.corpus} has the default creation rule {present}, not {wanted}: leave "
            "--creation-rule out, or crawl into another corpus"
        )


def _add_rules(structure: MemoryStructure, rules: Sequence[CreationRule]) -> list[str]:
    """Add the rules that are not there; notes on those that take the place of another."""
    notes: list[str] = []
    for rule in rules:
        present = structure.rules().find_rule(rule.prefix)
        if present is not None and present.preset == rule.preset:
            continue
        structure.add_rule(rule)
        if present is not None:
            notes.append(
                f"the rule at {lru_to_url(rule.prefix)} is now {rule.preset}, no longer {present.preset}; "
                "for pages known already see `hyphe maintain reapply-rules`"
            )
    return notes


def _targets(
    structure: MemoryStructure, wish: CrawlWish, good: Sequence[GoodUrl], earlier: Sequence[Job]
) -> tuple[list[Target], list[str]]:
    """The web entities to crawl, each with the URLs given for it, in the order given; and notes."""
    by_entity = declare_start_pages(
        structure,
        [(each.url, each.lru) for each in good],
        lambda entities: told(entities, "web entities declared", say),
    )
    notes: list[str] = []
    wanted: dict[int, tuple[str, ...]] = {}
    jobs_of: dict[int | None, list[Job]] = {}
    for job in earlier:
        jobs_of.setdefault(job.spec.web_entity_id, []).append(job)
    for web_entity_id, urls in by_entity.items():
        jobs = jobs_of.get(web_entity_id, [])
        if wish.resume and any(set(urls) <= set(job.spec.start_urls) for job in jobs):
            continue
        if any(job.state not in ENDED for job in jobs):
            name = structure.get_web_entity(web_entity_id).name
            notes.append(f"{name} has an unfinished crawl job already; --resume continues those")
        wanted[web_entity_id] = urls
    budgets = page_budgets(len(wanted), wish.max_pages, wish.max_pages_per_entity)
    targets = [Target(*each, budget) for each, budget in zip(wanted.items(), budgets, strict=True)]
    starved = [target for target in targets if target.max_pages == 0]
    if starved:
        notes.append(f"--max-pages leaves no page to {len(starved)} of the web entities: not crawled")
    return [target for target in targets if target.max_pages != 0], notes


def page_budgets(n_entities: int, total: int | None, per_entity: int | None) -> list[int | None]:
    """How many pages each entity may take: an even share of the total (the first ones get what is left over),
    and no
    more than `per_entity`. None is without limit."""
    if total is None or not n_entities:
        return [per_entity] * n_entities
    share, left = divmod(total, n_entities)
    shares = [share + (position < left) for position in range(n_entities)]
    return [one if per_entity is None else min(one, per_entity) for one in shares]
