"""Methods on corpora and on the service as a whole."""

from __future__ import annotations

from typing import cast

from hyphe_core.api.call import Call
from hyphe_core.api.corpus_states import error_state, ready_state, stopped_state
from hyphe_core.api.failures import Refusal, words_of_store_error
from hyphe_core.api.json_values import JsonObject
from hyphe_core.api.methods import CORPUS, MethodGroup, Needs, Role
from hyphe_core.api.option_limits import refuse_beyond_limits
from hyphe_core.api.options import changed_options, shown_options
from hyphe_core.api.parameters import (
    DEFAULT_CORPUS,
    Anything,
    CorpusName,
    Flag,
    Mapping,
    Number,
    Parameter,
    Text,
)
from hyphe_core.api.passwords import hash_password
from hyphe_core.api.schemas import (
    CORPUS_OPTIONS,
    CORPUS_STATE,
    CORPUS_SUMMARY,
    MESSAGE,
    OBJECT,
    STATUS,
    constant,
    keyed,
)
from hyphe_core.api.status import corpus_status, hyphe_status
from hyphe_core.api.wire import milliseconds
from hyphe_core.crawl.corpus_options import new_corpus_options, new_corpus_rules, refuse_beyond_quota
from memory_structure.corpus_records import CorpusCounters
from memory_structure.errors import StoreError
from memory_structure.registry import CorpusEntry
from memory_structure.suffixes import suffix_tree

methods = MethodGroup()

_PASSWORD = Parameter("password", Anything(), "", "password; empty for none")


@methods.method(
    CORPUS, result=CORPUS_STATE, returns="the state of the corpus", needs=Needs.NONE, role=Role.ANYONE
)
def test_corpus(call: Call) -> JsonObject:
    """Tell whether a corpus is ready, stopped or missing."""
    return call.service.state_of(call.service.find_corpus(call.corpus_id), call.caller, call.corpus_id)


@methods.method(
    Parameter("light", Flag(), True, "leave out queues and options"),
    result=keyed(CORPUS_SUMMARY),
    returns="an object: corpus id -> summary",
    needs=Needs.NONE,
    role=Role.ANYONE,
)
def list_corpus(call: Call, light: bool) -> JsonObject:
    """List all corpora with their totals. Queues and options of protected ones only to who may open them."""
    return {entry.corpus_id: _summary_or_error(call, entry, light) for entry in call.registry.list_corpora()}


def _summary_or_error(call: Call, entry: CorpusEntry, light: bool) -> JsonObject:
    """One corpus that cannot be read must not hide the others."""
    try:
        return _summary(call, entry, light)
    except StoreError as error:
        return _totals(entry, CorpusCounters(), 0) | error_state(entry, words_of_store_error(error))


def _totals(entry: CorpusEntry, counters: CorpusCounters, n_jobs: int) -> JsonObject:
    return {
        "name": entry.name,
        "password": bool(entry.password_hash),
        "total_crawls": n_jobs,
        "total_pages": counters.n_pages,
        "total_pages_crawled": counters.n_pages_fetched,
        "total_webentities": counters.n_web_entities,
        "webentities_in": counters.n_in,
        "webentities_out": counters.n_out,
        "webentities_undecided": counters.n_undecided,
        "webentities_discovered": counters.n_discovered,
        "created_at": milliseconds(entry.created_at),
        "last_activity": milliseconds(entry.last_activity_at),
    }


def _summary(call: Call, entry: CorpusEntry, light: bool) -> JsonObject:
    view = call.service.view(entry.corpus_id)
    jobs = view.jobs()
    state = ready_state(entry) if entry.started else stopped_state(entry)
    summary = state | _totals(entry, view.structure.counters(), jobs.n_total)
    if light or not call.service.may(Role.READER, call.caller, entry):
        return summary
    return summary | {
        "crawls_pending": jobs.n_pending,
        "crawls_running": jobs.n_running,
        "total_pages_queued": 0,
        "last_index_loop": milliseconds(entry.last_activity_at),
        # Clients multiply this one by a thousand: it is in seconds where every other moment is not.
        "last_links_loop": entry.last_activity_at.timestamp(),
        "links_duration": 0,
        "options": shown_options(view.structure.options()),
    }


@methods.method(CORPUS, result=CORPUS_OPTIONS, returns="the options of the corpus", needs=Needs.READY)
def get_corpus_options(call: Call) -> JsonObject:
    """Give all options of a corpus."""
    return shown_options(call.structure.options())


@methods.method(
    CORPUS,
    Parameter("options", Mapping(), {}, "options to change: name -> value"),
    result=CORPUS_OPTIONS,
    returns="all options after the change",
    needs=Needs.READY,
    role=Role.CURATOR,
)
def set_corpus_options(call: Call, options: JsonObject) -> JsonObject:
    """Change options. Unknown names and unfit values are refused and nothing is changed.

    What decides how addresses are cut (`precision_limit`, `private_suffixes`, `drop_tracking`) is fixed once
    there is a page. After `keepalive` seconds without a call and without a crawl the corpus is closed as by
    stop_corpus; with 0 it stays open. Kept for clients, without effect: `ignore_internal_links` (all links
    are stored: a crawl that was interrupted goes on from them), `phantom`.
    """
    present = call.structure.options()
    changed = changed_options(present, options)
    refuse_beyond_limits(call.config, present, changed)
    call.structure.set_options(changed)
    return shown_options(call.structure.options())


@methods.method(
    Parameter("name", Text(max_chars=200), DEFAULT_CORPUS, "name, from which the id is made"),
    _PASSWORD,
    Parameter("options", Mapping(), {}, "options that differ from the defaults"),
    result=CORPUS_STATE,
    returns="the state of the new corpus, started",
    needs=Needs.NONE,
    role=Role.CURATOR,
)
def create_corpus(call: Call, name: str, password: object, options: JsonObject) -> JsonObject:
    """Create a corpus and start it. The caller who gave it a password may go on using it.

    It has rules for large platforms, that make an entity of each account or blog, beside its default rule.
    """
    if not isinstance(password, str):
        raise Refusal("password must be a text")
    default = new_corpus_options(call.config)
    chosen = changed_options(default, options)
    refuse_beyond_limits(call.config, default, chosen)
    refuse_beyond_quota(call.config, call.registry)
    entry = call.registry.create_corpus(name, chosen, hash_password(password), new_corpus_rules(call.config))
    call.registry.set_started(entry.corpus_id, True)
    if entry.password_hash:
        call.granted_token = call.service.sessions.grant(
            call.caller.token, corpus_id=entry.corpus_id, proof=entry.password_hash
        )
    return ready_state(entry)


@methods.method(
    CORPUS, result=CORPUS_STATE, returns="the state of the corpus", needs=Needs.ANY, role=Role.CURATOR
)
def stop_corpus(call: Call) -> JsonObject:
    """Close a corpus to clients until it is started again; crawls go on."""
    call.registry.set_started(call.corpus.corpus_id, False)
    call.service.release_corpus(call.corpus.corpus_id)
    return stopped_state(call.corpus, "Corpus stopped")


@methods.method(
    CORPUS,
    result=OBJECT,
    returns="the public suffix list as a tree from the last label inwards",
    needs=Needs.READY,
)
def get_corpus_tlds(call: Call) -> JsonObject:
    """Give the public suffixes by which this corpus cuts hosts: {"uk": {"co": {}}}, with "*" and "!name"
    keys."""
    return cast(JsonObject, suffix_tree(call.structure.options().private_suffixes))


@methods.method(
    Parameter("corpus", CorpusName(), None, "id of the corpus; none asks for the service itself"),
    Parameter(
        "timeout", Number(0, 3600), 3.0, "kept for older clients; a corpus is started at once or not at all"
    ),
    result=constant("pong"),
    returns='"pong"',
    needs=Needs.NONE,
    role=Role.ANYONE,
)
def ping(call: Call, timeout: float) -> str:
    """Answer "pong" when the service is there and the corpus, if one is named, is started."""
    if call.corpus_id is not None:
        state = call.service.state_of(call.service.find_corpus(call.corpus_id), call.caller, call.corpus_id)
        if not state["ready"]:
            raise Refusal(state)
    return "pong"


@methods.method(
    Parameter("newName", Text(max_chars=200), doc="the new name"),
    CORPUS,
    result=MESSAGE,
    returns="a confirmation",
    needs=Needs.ANY,
    role=Role.CURATOR,
)
def rename_corpus(call: Call, new_name: str) -> str:
    """Change the name of a corpus; its id stays."""
    call.registry.rename_corpus(call.corpus.corpus_id, new_name)
    return f"Corpus {call.corpus.corpus_id} is now called {new_name}"


@methods.method(
    CORPUS,
    result=STATUS,
    returns="an object: hyphe -> state of the service, corpus -> state, options, jobs, totals",
    needs=Needs.NONE,
    role=Role.ANYONE,
)
def get_status(call: Call) -> JsonObject:
    """Tell how the service and a corpus are doing; cheap enough to be polled. Without a corpus, its id is
    null."""
    entry = call.service.find_corpus(call.corpus_id)
    state = call.service.state_of(entry, call.caller, call.corpus_id)
    if entry is not None and state["ready"]:
        state |= _status_or_error(call, entry)
    return {"hyphe": hyphe_status(call.config, call.registry), "corpus": state}


def _status_or_error(call: Call, entry: CorpusEntry) -> JsonObject:
    try:
        return corpus_status(entry, call.service.view(entry.corpus_id))
    except StoreError as error:
        return error_state(entry, words_of_store_error(error))
