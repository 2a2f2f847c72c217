"""Launching: frozen scope, settings by precedence, start pages, crawls at the terminal."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import attrs
import pytest

from hyphe_core.config import Config, load_config
from hyphe_core.crawl.foreground import prepare_crawls
from hyphe_core.crawl.launch import (
    CrawlChoices,
    CrawlTarget,
    freeze_scope,
    launch_crawl,
    launch_crawls,
    propose_start_pages,
    start_hosts,
)
from hyphe_core.errors import UsageFault
from memory_structure.corpus_records import CorpusOptions
from memory_structure.lru import url_to_lru
from memory_structure.opening import open_registry
from memory_structure.prefixes import variations
from memory_structure.records import (
    JobState,
    StartPage,
    WebEntityStatus,
)
from memory_structure.registry import HostKey, Registry
from memory_structure.structure import MemoryStructure


@pytest.fixture
def registry(tmp_path: Path) -> Iterator[Registry]:
    opened = open_registry(tmp_path)
    yield opened
    opened.close()


@pytest.fixture
def structure(registry: Registry) -> MemoryStructure:
    registry.create_corpus(
        "c", CorpusOptions(delay_seconds=2.5, user_agent="corpus/1", start_modes=("prefixes",))
    )
    return registry.open_structure("c")


@pytest.fixture
def config(tmp_path: Path) -> Config:
    return load_config(None, {}, {"data_dir": str(tmp_path), "per_host": 3, "n_retries": 5})


def entity(structure: MemoryStructure, *urls: str) -> int:
    return structure.declare_web_entity([url_to_lru(url) for url in urls]).web_entity_id


def test_scope_is_frozen_at_launch_with_nested_entities_left_out(
    registry: Registry, structure: MemoryStructure, config: Config
) -> None:
    whole = entity(structure, "http://e.fr/", "http://f.fr/")
    entity(structure, "http://e.fr/photos")
    entity(structure, "http://blog.e.fr/")
    entity(structure, "http://other.fr/")
    job = launch_crawl(registry, "c", whole, config=config, start_urls=["http://e.fr/"])
    entity(structure, "http://e.fr/later")
    stored = structure.get_job(job.job_id).spec
    assert set(stored.follow_prefixes) == {url_to_lru("http://e.fr/"), url_to_lru("http://f.fr/")}
    assert set(stored.nofollow_prefixes) == {
        url_to_lru("http://e.fr/photos"),
        url_to_lru("http://blog.e.fr/"),
    }
    assert len(freeze_scope(structure, whole)[1]) == 3


def test_what_is_not_given_is_the_corpus_option_else_the_configuration(
    registry: Registry, structure: MemoryStructure, config: Config
) -> None:
    id_ = entity(structure, "http://e.fr/")
    spec = launch_crawl(registry, "c", id_, config=config, start_urls=["http://e.fr/"]).spec
    assert (spec.delay_seconds, spec.user_agent, spec.per_host, spec.n_retries) == (2.5, "corpus/1", 3, 5)
    assert not spec.allow_private_networks
    spec = launch_crawl(
        registry,
        "c",
        id_,
        config=config,
        start_urls=["e.fr"],
        delay_seconds=0.0,
        user_agent="mine/1",
        depth=4,
    ).spec
    assert (spec.delay_seconds, spec.user_agent, spec.max_depth, spec.start_urls) == (
        0.0,
        "mine/1",
        4,
        ("http://e.fr",),
    )


def test_a_launch_is_pending_queued_logged_and_sets_the_status(
    registry: Registry, structure: MemoryStructure, config: Config
) -> None:
    id_ = entity(structure, "http://e.fr/")
    job = launch_crawl(registry, "c", id_, config=config, start_urls=["http://e.fr/", "https://e.fr/"])
    assert job.state is JobState.PENDING
    assert [entry.job_id for entry in registry.list_queue("c")] == [job.job_id]
    assert structure.get_web_entity(id_).status is WebEntityStatus.IN
    (line,) = structure.iter_logs(job_id=job.job_id)
    assert (line.kind, line.message) == ("CRAWL_ADDED", "depth 1, 2 start pages")
    assert start_hosts(job.spec) == [HostKey("", "e.fr:80"), HostKey("", "e.fr:443")]
    launch_crawl(registry, "c", entity(structure, "http://g.fr/"), config=config, status=None)
    assert structure.find_owner(url_to_lru("http://g.fr/")).status is WebEntityStatus.DISCOVERED  # type: ignore[union-attr]


def test_start_pages_that_cannot_be_requested_are_refused_with_reasons(
    registry: Registry, structure: MemoryStructure, config: Config
) -> None:
    id_ = entity(structure, "http://e.fr/")
    with pytest.raises(UsageFault, match="mailto"):
        launch_crawl(registry, "c", id_, config=config, start_urls=["mailto:x@y.fr"])
    assert structure.list_jobs() == []


def test_start_modes(structure: MemoryStructure) -> None:
    id_ = structure.declare_web_entity(
        variations(url_to_lru("http://e.fr/")), start_pages=[StartPage("http://e.fr/start", "user")]
    )
    found = propose_start_pages(
        structure, id_.web_entity_id, ["startpages", "prefixes", "homepage", "pages-3"]
    )
    assert found["startpages"] == ["http://e.fr/start"]
    assert sorted(found["prefixes"]) == ["http://e.fr", "http://www.e.fr", "https://e.fr", "https://www.e.fr"]
    assert found["homepage"] in (["http://www.e.fr"], ["https://www.e.fr"])
    assert found["pages-3"] == []
    assert propose_start_pages(structure, id_.web_entity_id, ["default"]).keys() == {"prefixes"}
    with pytest.raises(UsageFault, match="pages-0"):
        propose_start_pages(structure, id_.web_entity_id, ["pages-0"])


def test_a_crawl_at_the_terminal_makes_corpus_entities_and_jobs(registry: Registry, config: Config) -> None:
    keys = prepare_crawls(
        registry, config, ["http://a.fr/", "b.fr", "http://a.fr/x"], depth="2", corpus="new"
    )
    assert keys == [("new", 1), ("new", 2)]
    structure = registry.open_structure("new")
    first, second = structure.list_jobs()
    assert first.spec.start_urls == ("http://a.fr/", "http://a.fr/x")
    assert second.spec.start_urls == ("http://b.fr",)
    assert first.spec.max_depth == 2
    again = prepare_crawls(registry, config, ["http://a.fr/"], corpus="new")
    assert again == [("new", 3)]


@pytest.mark.parametrize(
    ("urls", "arguments", "message"),
    [
        ([], {}, "no URL was given"),
        (["http://a.fr/"], {"depth": "deep"}, "depth='deep'"),
        (["http://a.fr/"], {"max_pages": "-1"}, "max_pages='-1'"),
        (["ftp://a.fr/"], {}, "only http and https"),
    ],
)
def test_bad_arguments_are_told(
    registry: Registry, config: Config, urls: list[str], arguments: dict[str, str], message: str
) -> None:
    before = registry.list_corpora()
    with pytest.raises(UsageFault, match=message):
        prepare_crawls(registry, config, urls, **arguments)
    assert registry.list_corpora() == before


@pytest.mark.parametrize("proxy", ["http://me:pw@127.0.0.1:3128", "http://localhost:1", "10.0.0.1:80"])
def test_a_proxy_at_a_private_address_is_the_choice_of_the_operator(
    registry: Registry, structure: MemoryStructure, config: Config, proxy: str
) -> None:
    target = CrawlTarget(entity(structure, "http://e.fr/"), ("http://e.fr/",))
    with pytest.raises(UsageFault, match="private address"):
        launch_crawls(registry, "c", [target], config=config, choices=CrawlChoices(proxy=proxy))
    assert structure.list_jobs() == []
    chosen = CrawlChoices(proxy=proxy, trusts_proxy=True)
    (job,) = launch_crawls(registry, "c", [target], config=config, choices=chosen)
    assert (job.spec.proxy, job.spec.guards_proxy) == (proxy, False)
    configured = attrs.evolve(config, proxy=proxy)
    (job,) = launch_crawls(registry, "c", [target], config=configured)
    assert (job.spec.proxy, job.spec.guards_proxy) == (proxy, False)


def test_the_name_of_a_proxy_that_a_client_chose_is_judged_at_the_connection(
    registry: Registry, structure: MemoryStructure, config: Config
) -> None:
    target = CrawlTarget(entity(structure, "http://e.fr/"), ("http://e.fr/",))
    named = CrawlChoices(proxy="http://proxy.example:3128")
    (job,) = launch_crawls(registry, "c", [target], config=config, choices=named)
    assert job.spec.guards_proxy
