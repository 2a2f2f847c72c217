"""A crawl at the terminal with no server: corpus, web entities and jobs made on the spot."""

from __future__ import annotations

import logging
from collections.abc import Sequence
from typing import Final
from urllib.parse import urlsplit

from hyphe_core.config import Config
from hyphe_core.crawl.corpus_options import new_corpus_options, new_corpus_rules, refuse_beyond_quota
from hyphe_core.crawl.declaring import declare_start_pages
from hyphe_core.crawl.launch import CrawlChoices, CrawlTarget, launch_crawls
from hyphe_core.errors import UsageFault
from memory_structure.errors import MemoryStructureError, NotFound
from memory_structure.records import JobState
from memory_structure.registry import CorpusEntry, Registry
from memory_structure.structure import MemoryStructure
from memory_structure.url_cutter import cutter_for
from memory_structure.urls import BadUrl, UrlPolicy, clean_user_url

_LOG: Final = logging.getLogger(__name__)

JobKey = tuple[str, int]


def prepare_crawls(
    registry: Registry,
    config: Config,
    urls: Sequence[str],
    *,
    depth: str = "1",
    corpus: str = "",
    max_pages: str = "",
) -> list[JobKey]:
    """Declare the web entities of these URLs by the corpus' rules and launch their crawls: (corpus id, job
    id) each.

    A corpus that does not exist is made, named after the first host when no name is given. Raises UsageFault.
    """
    if not urls:
        raise UsageFault("no URL was given: scrapy crawl web_entity -a url=URL [-a depth=1] [-a corpus=NAME]")
    n_pages = _whole_number("max_pages", max_pages) if max_pages else None
    n_clicks = _whole_number("depth", depth)
    entry = _ensure_corpus(registry, config, corpus or _name_of(urls[0]), urls)
    structure = registry.open_structure(entry.corpus_id)
    targets = [
        CrawlTarget(entity, starts, max_pages=n_pages) for entity, starts in _declare(structure, urls).items()
    ]
    choices = CrawlChoices(depth=n_clicks, trusts_proxy=True)
    jobs = launch_crawls(registry, entry.corpus_id, targets, config=config, choices=choices)
    return [(entry.corpus_id, job.job_id) for job in jobs]


def count_failed(registry: Registry, jobs: Sequence[JobKey]) -> int:
    """How many of the jobs failed, or cannot be read."""
    n_failed = 0
    for corpus_id, job_id in jobs:
        try:
            n_failed += registry.open_structure(corpus_id).get_job(job_id).state is JobState.FAILED
        except MemoryStructureError:
            n_failed += 1
    return n_failed


def log_ends(registry: Registry, jobs: Sequence[JobKey]) -> None:
    """Say in a line of the log for each job how it stands now: an error when it failed."""
    for corpus_id, job_id in jobs:
        try:
            job = registry.open_structure(corpus_id).get_job(job_id)
        except MemoryStructureError as error:
            _LOG.error("crawl job %d of corpus %s: its end cannot be read: %s", job_id, corpus_id, error)
            continue
        level = logging.ERROR if job.state is JobState.FAILED else logging.INFO
        words = f"{job.state.value}: {job.reason}" if job.reason else job.state.value
        done = f"pages: {job.counters.n_pages}, errors: {job.counters.n_errors}"
        _LOG.log(level, "crawl job %d of corpus %s %s (%s)", job_id, corpus_id, words, done)


def _declare(structure: MemoryStructure, urls: Sequence[str]) -> dict[int, tuple[str, ...]]:
    """Web entity id -> its URLs, all declared and kept as start pages."""
    policy = structure.options().url_policy
    cutter = cutter_for(policy)
    return declare_start_pages(structure, [(url, cutter.lru(url)) for url in _cleaned(urls, policy)])


def _cleaned(urls: Sequence[str], policy: UrlPolicy) -> list[str]:
    try:
        cleaned = [clean_user_url(url, policy) for url in urls]
        for url in cleaned:
            cutter_for(policy).lru(url)
    except BadUrl as error:
        raise UsageFault(str(error)) from error
    return cleaned


def _ensure_corpus(registry: Registry, config: Config, name: str, urls: Sequence[str]) -> CorpusEntry:
    """The corpus of that name, made when absent; not for URLs that it would refuse."""
    try:
        return registry.get_corpus(name)
    except NotFound:
        options = new_corpus_options(config)
        _cleaned(urls, options.url_policy)
        refuse_beyond_quota(config, registry)
        return registry.create_corpus(name, options, rules=new_corpus_rules(config))


def _name_of(url: str) -> str:
    return urlsplit(url if "://" in url else f"http://{url}").hostname or "crawl"


def _whole_number(name: str, text: str) -> int:
    if not (text.isascii() and text.isdigit()):
        raise UsageFault(f"{name}={text!r}: a whole number is accepted")
    return int(text)
