"""Methods that end corpora and bring them back."""

from __future__ import annotations

from hyphe_core.api.call import Call
from hyphe_core.api.corpus_states import stopped_state
from hyphe_core.api.failures import Refusal
from hyphe_core.api.json_values import JsonObject
from hyphe_core.api.methods import CORPUS, MethodGroup, Needs, Role
from hyphe_core.api.parameters import ListOf, Parameter, Text
from hyphe_core.api.schemas import CORPUS_STATE, INTEGER, MESSAGE, NULL, TEXT, list_of, record
from hyphe_core.api.wire import milliseconds
from hyphe_core.clock import to_milliseconds
from hyphe_core.crawl.corpus_options import refuse_beyond_quota
from hyphe_core.maintenance.corpus_life import destroy_corpus as destroy
from hyphe_core.maintenance.corpus_life import empty_corpus, force_destroy_corpus
from memory_structure.registry import CorpusEntry, DestroyedCorpus

methods = MethodGroup()
crawl_methods = MethodGroup("crawl")
corpus_methods = MethodGroup("corpus")

DESTROYED = record(
    {
        "destroyed_id": TEXT,
        "corpus_id": TEXT,
        "name": TEXT,
        "created_at": INTEGER,
        "destroyed_at": INTEGER,
        "removed_at": INTEGER,
    }
)
_DAY_MS = 24 * 3600 * 1000


@methods.method(CORPUS, result=MESSAGE, returns="a confirmation", role=Role.ADMIN)
def reinitialize(call: Call) -> str:
    """Empty a corpus: pages, entities, tags, jobs and history go, name, password, options and rules stay. Its
    crawls are canceled first. What it held can be brought back as another corpus (corpus.undestroy), for as
    long as the service is set to keep it."""
    corpus_id = call.corpus.corpus_id
    kept = empty_corpus(call.registry, corpus_id, call.config.restore_days)
    call.service.listings.forget_corpus(corpus_id)
    return f"Corpus {corpus_id} is empty, its settings are as before" + _how_back(call, kept)


@methods.method(CORPUS, result=MESSAGE, returns="a confirmation", needs=Needs.ANY, role=Role.ADMIN)
def destroy_corpus(call: Call) -> str:
    """Take a corpus away with its pages, bodies and jobs; its id and name are free at once. Its crawls are
    canceled first. It can be brought back (corpus.undestroy) for as long as the service is set to keep it."""
    kept = destroy(call.registry, call.corpus.corpus_id, call.config.restore_days)
    return _destroyed(call, call.corpus, kept)


@methods.method(
    CORPUS,
    result=MESSAGE,
    returns="a confirmation",
    needs=Needs.ANY,
    role=Role.ADMIN,
    name="force_destroy_corpus",
)
def force_destroy(call: Call) -> str:
    """Destroy a corpus even if its store cannot be read."""
    kept = force_destroy_corpus(call.registry, call.corpus.corpus_id, call.config.restore_days)
    return _destroyed(call, call.corpus, kept)


def _destroyed(call: Call, entry: CorpusEntry, kept: DestroyedCorpus | None) -> str:
    call.service.forget_corpus(entry.corpus_id)
    return f"Corpus {entry.corpus_id} destroyed" + _how_back(call, kept)


def _how_back(call: Call, kept: DestroyedCorpus | None) -> str:
    if kept is None:
        return "; nothing of it can be brought back"
    days = call.config.restore_days
    return f"; within {days} days corpus.undestroy brings {kept.destroyed_id!r} back"


@methods.method(
    Parameter("except_corpus_ids", ListOf(Text(max_chars=200), or_one=True), [], "ids of corpora that stay"),
    result=MESSAGE,
    returns="a confirmation",
    needs=Needs.NONE,
    role=Role.ADMIN,
)
def clear_all(call: Call, kept_ids: list[str]) -> str:
    """Destroy all corpora but the ones named and those that the caller does not administer. Each can be
    brought back as after destroy_corpus."""
    entries = [entry for entry in call.registry.list_corpora() if entry.corpus_id not in kept_ids]
    known = {entry.corpus_id for entry in call.registry.list_corpora()}
    strange = [corpus_id for corpus_id in kept_ids if corpus_id not in known]
    if strange:
        raise Refusal(f"nothing was destroyed: there is no corpus {strange[0]!r} to keep")
    mine = [entry for entry in entries if call.service.may(Role.ADMIN, call.caller, entry)]
    for entry in mine:
        kept = force_destroy_corpus(call.registry, entry.corpus_id, call.config.restore_days)
        _destroyed(call, entry, kept)
    left = [entry.corpus_id for entry in entries if entry not in mine]
    others = f"; not yours and left: {', '.join(left)}" if left else ""
    return f"{len(mine)} corpora destroyed{others}"


# -- bringing back ----------------------------------------------------------------------------------------


@corpus_methods.method(
    result=list_of(DESTROYED),
    returns="a list of destroyed corpora, the last one first; removed_at is when they go for good",
    needs=Needs.NONE,
    role=Role.ADMIN,
)
def list_destroyed(call: Call) -> list[JsonObject]:
    """List the corpora that can be brought back."""
    days = call.config.restore_days
    return [_shown(each, days) for each in call.registry.list_destroyed()]


def _shown(each: DestroyedCorpus, restore_days: int) -> JsonObject:
    destroyed_at = to_milliseconds(each.destroyed_at)
    return {
        "destroyed_id": each.destroyed_id,
        "corpus_id": each.corpus_id,
        "name": each.name,
        "created_at": milliseconds(each.created_at),
        "destroyed_at": destroyed_at,
        "removed_at": destroyed_at + restore_days * _DAY_MS,
    }


@corpus_methods.method(
    Parameter("destroyed_id", Text(max_chars=200), doc="destroyed_id, else id or name it had"),
    Parameter("name", Text(max_chars=200), None, "another name for it; needed when its own is in use"),
    result=CORPUS_STATE,
    returns="the state of the corpus, which is not started",
    needs=Needs.NONE,
    role=Role.ADMIN,
)
def undestroy(call: Call, destroyed: str, name: str | None) -> JsonObject:
    """Bring a destroyed corpus back, or what a corpus held before it was emptied; with its password."""
    found = call.registry.get_destroyed(destroyed)
    refuse_beyond_quota(call.config, call.registry)
    return stopped_state(call.registry.undestroy_corpus(found.destroyed_id, name), "Corpus brought back")


# -- crawlers ---------------------------------------------------------------------------------------------


@crawl_methods.method(CORPUS, result=MESSAGE, returns="a confirmation", needs=Needs.ANY, role=Role.CURATOR)
def deploy_crawler(call: Call) -> str:
    """Do nothing, with success: corpora have no crawler of their own here, the workers crawl for all."""
    return f"Corpus {call.corpus.corpus_id} needs no crawler of its own: workers crawl for all corpora"


@crawl_methods.method(CORPUS, result=NULL, returns="null", needs=Needs.ANY, role=Role.CURATOR)
def delete_crawler(call: Call) -> None:
    """Do nothing, with success: corpora have no crawler of their own here."""
