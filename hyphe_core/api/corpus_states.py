"""The states of a corpus as clients see them: `{corpus_id, ready, status, message}`.

Clients react to `status`: anything but "ready" makes them start the corpus, then send the person to the
login page.
"""

from __future__ import annotations

from hyphe_core.api.json_values import JsonObject
from memory_structure.registry import CorpusEntry


def _state(corpus_id: str | None, status: str, message: str = "") -> JsonObject:
    state: JsonObject = {"corpus_id": corpus_id, "ready": status == "ready", "status": status}
    return state | {"message": message} if message else state


def missing_state(corpus_id: str | None) -> JsonObject:
    """No such corpus; the id is null when none was asked for."""
    return _state(
        corpus_id, "missing", "No corpus was named" if corpus_id is None else f"No corpus named {corpus_id}"
    )


def stopped_state(
    entry: CorpusEntry, message: str = "Corpus is not started: start_corpus opens it"
) -> JsonObject:
    """The corpus exists and nobody has opened it."""
    return _state(entry.corpus_id, "stopped", message)


def unauthorised_state(entry: CorpusEntry) -> JsonObject:
    """The corpus has a password that this caller has not given: to them it is not started."""
    return stopped_state(entry, "Wrong auth: give the password of this corpus to start_corpus first")


def ready_state(entry: CorpusEntry, message: str = "") -> JsonObject:
    """The corpus is open."""
    return _state(entry.corpus_id, "ready", message)


def error_state(entry: CorpusEntry, message: str) -> JsonObject:
    """The store of the corpus cannot be used."""
    return _state(entry.corpus_id, "error", message)
