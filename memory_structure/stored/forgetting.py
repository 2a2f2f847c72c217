"""Forgetting what a web entity brought in, in short transactions, and bringing it back."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Final

import numpy as np

from memory_structure.acts import Act, ActKind
from memory_structure.errors import InvalidValue, StoreLocked, UndoConflict
from memory_structure.jobs import ENDED
from memory_structure.previews import ForgetPreview
from memory_structure.storage import Reader, Span
from memory_structure.stored.act_rows import fill_act, mention, open_act, read_act
from memory_structure.stored.codec import Ints
from memory_structure.stored.entities import entity_prefixes, entity_row
from memory_structure.stored.forget_plan import ForgetPlan, goes, linked_since, plan_forgetting, preview_of
from memory_structure.stored.ownership import drop_silent_prefixes, remove_when_bare
from memory_structure.stored.previewing import Previewing
from memory_structure.stored.schema import FORGOTTEN, JOBS, PREFIXES
from memory_structure.stored.session import Session
from memory_structure.stored.state import read_state
from memory_structure.stored.taking_out import (
    TakenOut,
    decode_taken,
    empty_pages,
    encode_taken,
    put_back,
    remove_pages,
)
from memory_structure.stored.weights import entity_counts

PAGES_AT_ONCE: Final = 400
_TURN_SECONDS: Final = 5.0


class Forgetting(Previewing):
    """Pages taken out of a corpus."""

    def preview_forget(self, web_entity_id: int) -> ForgetPreview:
        """What `forget` would take out."""
        policy = self.options().url_policy
        with self._storage.snapshot() as reader:
            return preview_of(reader, web_entity_id, policy)

    def forget(self, web_entity_id: int) -> Act:
        """Take out all that crawling an entity brought in."""
        with self._turn_to_forget():
            return self._forget(web_entity_id)

    @contextmanager
    def _turn_to_forget(self) -> Iterator[None]:
        """One act at a time takes out or brings back, so that each knows what all earlier ones took. Raises
        StoreLocked when the turn does not come."""
        if not self._forget_lock.acquire(timeout=_TURN_SECONDS):
            raise StoreLocked("something else is being forgotten or brought back")
        try:
            yield
        finally:
            self._forget_lock.release()

    def _forget(self, web_entity_id: int) -> Act:
        with self._writing() as session:
            name = entity_row(session.tx, web_entity_id)[1]
            _refuse_crawled(session, web_entity_id)
            session.summary = f'What "{name}" brought in forgotten'
            policy = session.territory.policy
            act_id = open_act(session, ActKind.FORGET)
            fill_act(session, act_id, mention(session, web_entity_id))
        with self._storage.snapshot() as reader:
            plan = plan_forgetting(reader, web_entity_id, policy)
        for chunk in _chunks(plan.fetched):
            self._take_out(act_id, lambda session, chunk=chunk: empty_pages(session, chunk))  # type: ignore[misc]
        self._remove_pages(act_id, plan)
        with self._writing() as session:
            session.tx.record()
            _remove_emptied(session, plan, web_entity_id)
            fill_act(session, act_id, mention(session, web_entity_id))
            return read_act(session.tx, act_id)

    def _remove_pages(self, act_id: int, plan: ForgetPlan) -> None:
        """Pages that no link arrives at, looked at again in each transaction: others may crawl meanwhile."""
        ids = np.concatenate((plan.leaving, plan.brought))
        first, n = read_state(self._storage).segment, int(ids.max(initial=0)) + 1
        linked = linked_since(self._storage, 0, n)

        def remove(session: Session, chunk: list[int]) -> TakenOut:
            fresh = linked_since(session.tx, first, n)
            return remove_pages(session, [i for i in chunk if not linked[i] and not fresh[i]])

        for chunk in _chunks(ids):
            self._take_out(act_id, lambda session, chunk=chunk: remove(session, chunk))  # type: ignore[misc]

    def _take_out(self, act_id: int, step: Callable[[Session], TakenOut]) -> None:
        """One transaction of forgetting; what it took out is kept in it."""
        with self._writing() as session:
            taken = step(session)
            if not taken.pages and not taken.emptied:
                return
            number = _last_chunk(session.tx, act_id) + 1
            session.tx.insert(FORGOTTEN, [(act_id, number, encode_taken(taken))])
            if taken.pages:
                version = str(session.state.version + 1).encode()
                session.tx.put(FORGOTTEN, [(0, 0, version)])
            session.changed = True

    def _bring_back(self, act_id: int) -> None:
        """Put back what an act took out, last things first. Goes on where it was interrupted."""
        new_ids = self._renumbered_since(act_id)
        for number in range(_last_chunk(self._storage, act_id), 0, -1):
            with self._writing() as session:
                key = (act_id, number)
                taken = decode_taken(session.tx.get(FORGOTTEN, (key,))[key][2])
                renumbered = put_back(session, taken, _followed(new_ids))
                new_ids.update(renumbered)
                new_ids.update(taken.renumbered)
                if taken.pages or taken.emptied:
                    session.tx.put(FORGOTTEN, [(*key, encode_taken(TakenOut(renumbered=renumbered)))])
                    session.changed = True

    def _renumbered_since(self, act_id: int) -> dict[int, int]:
        """Pages that later acts took out and that came back under another id, old to new."""
        found: dict[int, int] = {}
        for _, _, blob in self._storage.scan(FORGOTTEN, Span(lower=act_id + 1)):
            found.update(decode_taken(blob).renumbered)
        return found

    def _refuse_forgotten_since(self, act_id: int) -> None:
        """Raise UndoConflict for an act of forgetting after which pages were forgotten that are not all back:
        links it took out may lead to pages that are gone."""
        acts = {row[0] for row in self._storage.scan(FORGOTTEN, Span(lower=act_id + 1), ("act_id",))}
        later = tuple(each for each in sorted(acts, reverse=True) if not self._is_brought_back(each))
        if later:
            raise UndoConflict(act_id, later, "more was forgotten since")

    def _is_brought_back(self, act_id: int) -> bool:
        """Whether all that an act took out is back."""
        row = self._storage.get(FORGOTTEN, ((act_id, 1),)).get((act_id, 1))
        taken = TakenOut() if row is None else decode_taken(row[2])
        return not taken.pages and not taken.emptied


def _followed(new_ids: dict[int, int]) -> dict[int, int]:
    """Each old id with the last one that stands for it: a page may come back more than once."""
    followed = {}
    for old, new in new_ids.items():
        while new in new_ids:
            new = new_ids[new]
        followed[old] = new
    return followed


def _refuse_crawled(session: Session, entity_id: int) -> None:
    ended = {state.value for state in ENDED}
    jobs = session.tx.scan(JOBS, Span("by_entity_id", equal=(entity_id,)), ("id", "state"))
    going = [job_id for job_id, state in jobs if state not in ended]
    if going:
        raise InvalidValue(f"crawl job {going[0]} of web entity {entity_id} has not ended: cancel it first")


def _remove_emptied(session: Session, plan: ForgetPlan, entity_id: int) -> None:
    counts = entity_counts(session.tx, plan.emptied)
    for emptied in plan.emptied:
        if counts.get(emptied, (0, 0))[0] == 0 and goes(session.tx, emptied, entity_id):
            prefixes = entity_prefixes(session.tx, emptied)
            session.note_prefix_change(reset=True)
            session.tx.delete(PREFIXES, prefixes)
            for prefix in prefixes:
                del session.territory.prefixes[prefix]
            drop_silent_prefixes(session, prefixes)
            remove_when_bare(session, emptied)


def _last_chunk(reader: Reader, act_id: int) -> int:
    span = Span(equal=(act_id,), reverse=True, limit=1)
    return next((int(row[0]) for row in reader.scan(FORGOTTEN, span, ("chunk",))), 0)


def _chunks(ids: Ints) -> Iterator[list[int]]:
    for start in range(0, len(ids), PAGES_AT_ONCE):
        yield ids[start : start + PAGES_AT_ONCE].tolist()
