"""An entity made at one host of a site owns the forms of all of them, in every store."""

from __future__ import annotations

from dataclasses import replace

from memory_structure.corpus_records import CorpusOptions
from memory_structure.creation_rules import CreationRule, Preset
from memory_structure.url_cutter import url_to_lru
from tests.contract.conftest import FreshCorpus

ALIASES = (("de-de.x.com", "x.com"), ("m.x.com", "x.com"))


def test_an_account_is_one_entity_whatever_the_host(fresh_corpus: FreshCorpus) -> None:
    structure = fresh_corpus()(CorpusOptions(host_aliases=ALIASES))
    structure.add_rule(CreationRule("s:http|h:com|h:x|", Preset.parse("path-1")))
    urls = [
        "https://m.x.com/who", "http://x.com/who/post", "https://www.x.com/who", "http://de-de.x.com/who",
        "http://m.x.com/other", "http://blog.x.com/who",
    ]  # fmt: skip
    told = [d.prefix for d in structure.store_and_retrieve_flags([url_to_lru(url) for url in urls])]
    owners = [structure.declare_pages([url_to_lru(url)])[0][0].web_entity_id for url in urls]
    assert owners[0] == owners[1] == owners[2] == owners[3]
    assert len(set(owners)) == 3
    assert told[0] == url_to_lru(urls[0])
    assert len(structure.get_web_entity(owners[0]).prefixes) == 12
    assert structure.check() == []


def test_aliases_given_later_count_for_entities_made_later(fresh_corpus: FreshCorpus) -> None:
    reopen = fresh_corpus()
    structure = reopen(CorpusOptions())
    structure.add_rule(CreationRule("s:http|h:com|h:x|", Preset.parse("path-1")))
    first = structure.declare_pages([url_to_lru("http://m.x.com/who")])[0][0]
    structure.set_options(replace(structure.options(), host_aliases=ALIASES))
    other = reopen()
    assert other.options().host_aliases == ALIASES
    second = other.declare_pages([url_to_lru("http://x.com/who")])[0][0]
    assert second.web_entity_id != first.web_entity_id
    later = [other.declare_pages([url_to_lru(f"http://{h}x.com/new")])[0][0] for h in ("m.", "")]
    assert later[0].web_entity_id == later[1].web_entity_id
    assert other.check() == []
