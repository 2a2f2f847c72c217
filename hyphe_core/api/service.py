"""The service behind the transport: checks a call, carries it out, turns every outcome into an answer.

`answer_blocking` is meant for a thread: it reads the store.
"""

from __future__ import annotations

import logging
from collections.abc import Awaitable
from dataclasses import dataclass
from threading import Lock
from typing import cast

from twisted.internet.defer import CancelledError

from hyphe_core import clock
from hyphe_core.api.attempts import Attempts
from hyphe_core.api.call import Call, Caller
from hyphe_core.api.catalogue import all_methods
from hyphe_core.api.corpus_states import missing_state, ready_state, stopped_state, unauthorised_state
from hyphe_core.api.failures import Fault, Refusal, internal_fault, words_of_store_error
from hyphe_core.api.json_values import JsonObject
from hyphe_core.api.keepalive import Uses
from hyphe_core.api.listings import Listings
from hyphe_core.api.methods import Bound, Method, MethodTable, Needs, Role
from hyphe_core.api.rights import Rights
from hyphe_core.api.sessions import Sessions
from hyphe_core.api.views import CorpusView
from hyphe_core.config import Config
from hyphe_core.crawl.parse_work import ParserShelf, stylesheets_folder
from hyphe_core.errors import CallerFault
from memory_structure.acts import acting
from memory_structure.errors import MemoryStructureError, NotFound, PrefixTaken, StoreError, StoreLocked
from memory_structure.registry import CorpusEntry, Registry

_log = logging.getLogger(__name__)

_ASK_ADMINISTRATOR = (
    "which the administrator has: give that password to start_corpus, with null for the corpus"
)
_ASK_CURATOR = "give the password of its curators to start_corpus"


@dataclass(frozen=True, slots=True)
class Reply:
    """The answer to a call: the value to frame, and the token of a session that the call opened ("": it ended
    it)."""

    value: object
    token: str | None = None


class Service:
    """Registry, configuration, sessions and caches, shared by all calls. Safe to use from several threads."""

    def __init__(self, config: Config, registry: Registry, table: MethodTable | None = None) -> None:
        self.config = config
        self.registry = registry
        self.table = table or all_methods()
        self.sessions = Sessions()
        self.rights = Rights(config, registry, self.sessions)
        self.attempts = Attempts()
        self.listings = Listings()
        self.uses = Uses(clock.now())
        self.parsers = ParserShelf(stylesheets_folder(config))
        self._views: dict[str, CorpusView] = {}
        self._lock = Lock()

    # -- carrying out calls --------------------------------------------------------------------------------

    def answer_blocking(self, bound: Bound, caller: Caller) -> Reply:
        """Check and carry out a call whose method is not async. Raises Fault alone."""
        call = Call(self, caller, bound.corpus_id)
        try:
            self._admit(bound.method, call)
            with acting("" if bound.method.is_inline else call.actor):
                return _success(bound.method, call, bound.invoke(call))
        except Exception as error:
            return _failure(bound.method, error)
        finally:
            if bound.method.role >= Role.CURATOR and call.entry is not None:
                self._note_change(call.entry.corpus_id)

    def admit_blocking(self, bound: Bound, caller: Caller) -> Call | Reply:
        """The first half of an async call: the call when it may go on, else the answer that says why not."""
        call = Call(self, caller, bound.corpus_id)
        try:
            self._admit(bound.method, call)
            _ = call.actor
            if bound.method.needs is Needs.READY:
                _ = call.options
        except Exception as error:
            return _failure(bound.method, error)
        return call

    async def answer_async(self, bound: Bound, call: Call) -> Reply:
        """The second half of an async call, on the reactor. Raises Fault alone (and CancelledError)."""
        try:
            with acting(call.actor):
                return _success(bound.method, call, await cast("Awaitable[object]", bound.invoke(call)))
        except CancelledError:
            raise
        except Exception as error:
            return _failure(bound.method, error)

    def _admit(self, method: Method, call: Call) -> None:
        names_none = method.needs is Needs.ANY_OR_SERVICE and call.corpus_id is None
        if names_none or method.needs is Needs.NONE:
            self.require(method.role, call.caller, None)
            return
        call.entry = self.find_corpus(call.corpus_id)
        if call.entry is None:
            raise Refusal(missing_state(call.corpus_id))
        self.require(method.role, call.caller, call.entry)
        if method.needs is Needs.READY and not call.entry.started:
            raise Refusal(stopped_state(call.entry))
        self.uses.note(call.entry.corpus_id)
        if method.role >= Role.CURATOR:
            self.registry.touch_corpus(call.entry.corpus_id)

    # -- what a caller may do ------------------------------------------------------------------------------

    def require(self, role: Role, caller: Caller, entry: CorpusEntry | None) -> None:
        """Refuse who lacks a role, on a corpus or (None) on the service."""
        if role is Role.ANYONE:
            return
        held = self.rights.role_of(caller, entry)
        if held >= role:
            return
        if entry is None:
            raise Refusal(f"Wrong password: this needs the role {role.word}, {_ASK_ADMINISTRATOR}")
        if held is Role.ANYONE:
            raise Refusal(unauthorised_state(entry))
        needed = f"this needs the role {role.word} on corpus {entry.corpus_id}, you have {held.word}"
        raise Refusal(f"Wrong auth: {needed}; {_ASK_ADMINISTRATOR if role is Role.ADMIN else _ASK_CURATOR}")

    def may(self, role: Role, caller: Caller, entry: CorpusEntry | None) -> bool:
        """Whether a caller has a role, on a corpus or (None) on the service."""
        return self.rights.role_of(caller, entry) >= role

    # -- corpora -------------------------------------------------------------------------------------------

    def find_corpus(self, corpus_id: str | None) -> CorpusEntry | None:
        """The corpus of that id (or name), None when there is none."""
        if corpus_id is None:
            return None
        try:
            return self.registry.get_corpus(corpus_id)
        except NotFound:
            return None

    def state_of(self, entry: CorpusEntry | None, caller: Caller, asked_for: str | None) -> JsonObject:
        """The state a caller sees: missing, stopped (also to those who may not open it) or ready. Whoever
        looks at an open corpus uses it."""
        if entry is None:
            return missing_state(asked_for)
        if not entry.started:
            return stopped_state(entry)
        if not self.may(Role.READER, caller, entry):
            return unauthorised_state(entry)
        self.uses.note(entry.corpus_id)
        return ready_state(entry)

    def view(self, corpus_id: str) -> CorpusView:
        """The summaries of a corpus, over its one shared memory structure."""
        structure = self.registry.open_structure(corpus_id)
        with self._lock:
            view = self._views.get(corpus_id)
            if view is None or view.structure is not structure:
                view = self._views[corpus_id] = CorpusView(structure)
            return view

    def _note_change(self, corpus_id: str) -> None:
        with self._lock:
            view = self._views.get(corpus_id)
        if view is not None:
            view.note_change()

    def release_corpus(self, corpus_id: str) -> None:
        """Drop the summaries of a corpus that was closed; they are made anew when they are asked for."""
        with self._lock:
            self._views.pop(corpus_id, None)

    def forget_corpus(self, corpus_id: str) -> None:
        """Drop what is kept of a corpus that is gone."""
        self.release_corpus(corpus_id)
        self.uses.forget(corpus_id)
        self.sessions.forget_corpus(corpus_id)
        self.listings.forget_corpus(corpus_id)


def _success(method: Method, call: Call, result: object) -> Reply:
    if method.is_bare:
        return Reply(result, call.granted_token)
    return Reply({"code": "success", "result": result, **call.beside}, call.granted_token)


def _failure(method: Method, error: Exception) -> Reply:
    """The answer that says no; anything unforeseen is a Fault that tells its type only, the rest goes to the
    log."""
    if isinstance(error, Fault):
        raise error
    if isinstance(error, Refusal):
        return Reply({"code": "fail", "message": error.message, **error.beside})
    if isinstance(error, StoreLocked):
        _log.warning("method %s: the store is busy: %s", method.name, error)
        return Reply({"code": "fail", "message": words_of_store_error(error)})
    if isinstance(error, StoreError):
        _log.error("method %s: the store failed: %s", method.name, error)
        return Reply({"code": "fail", "message": words_of_store_error(error)})
    if isinstance(error, PrefixTaken):
        # Clients look for these words, to say in their own what happened.
        taken = f"prefix {error.prefix} is already set to an existing WebEntity: {error.web_entity_id}"
        return Reply({"code": "fail", "message": taken})
    if isinstance(error, (MemoryStructureError, CallerFault)):
        return Reply({"code": "fail", "message": str(error)})
    _log.error("method %s failed", method.name, exc_info=error)
    raise internal_fault(error) from None
