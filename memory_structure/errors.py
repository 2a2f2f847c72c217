"""Errors of the memory structure. Each class is also the builtin kind a caller would guess.

Three families: the caller gave something wrong (`CallerError`), the store cannot serve (`StoreError`), the
stored data contradict themselves (`CorruptCorpus`, also a `StoreError`).
"""

from typing import Final

_MOST_NAMED: Final = 20  # acts in a message


class MemoryStructureError(Exception):
    """Root of every error raised by this package."""


class CallerError(MemoryStructureError):
    """The request cannot be carried out as asked; nothing was changed."""


class NotFound(CallerError, LookupError):
    """No record has this key. The message names the kind of record and the key."""


class AlreadyExists(CallerError, ValueError):
    """Something else holds this key already. The message names both."""


class InvalidValue(CallerError, ValueError):
    """A value is outside what is accepted. The message says what was given and what is accepted."""


class PrefixTaken(AlreadyExists):
    """An LRU prefix belongs to another web entity.

    `prefix` is the LRU, `web_entity_id` its owner.
    """

    def __init__(self, prefix: str, web_entity_id: int) -> None:
        super().__init__(f"prefix {prefix} already belongs to web entity {web_entity_id}")
        self.prefix = prefix
        self.web_entity_id = web_entity_id


class UndoConflict(CallerError, ValueError):
    """An act cannot be undone: what it changed was changed again since.

    `act_id` is the act, `later_act_ids` those that stand in the way, newest first: undo them first.
    """

    def __init__(self, act_id: int, later_act_ids: tuple[int, ...], why: str) -> None:
        named = ", ".join(str(found) for found in later_act_ids[:_MOST_NAMED])
        named += f" and {len(later_act_ids) - _MOST_NAMED} more" if len(later_act_ids) > _MOST_NAMED else ""
        first = (
            f": undo {'act' if len(later_act_ids) == 1 else 'acts'} {named} first" if later_act_ids else ""
        )
        super().__init__(f"act {act_id} cannot be undone, {why}{first}")
        self.act_id = act_id
        self.later_act_ids = later_act_ids


class UnusableBackup(CallerError, ValueError):
    """A file is not a backup of a corpus, is damaged, or was written by a newer version of this program."""


class IllegalTransition(CallerError, ValueError):
    """A crawl job cannot go from its present state to the one asked for."""


class StoreError(MemoryStructureError, OSError):
    """The store cannot serve: absent, locked, unreachable, full."""


class StoreLocked(StoreError, TimeoutError):
    """Another process held the write lock for longer than the busy time-out."""


class StoreUnreachable(StoreError, ConnectionError):
    """The database server does not answer. Nothing of the current batch was acknowledged."""


class StoreFull(StoreError):
    """The disk is full or the quota reached. The transaction was rolled back."""


class SchemaMismatch(StoreError):
    """The corpus was written by a newer version of this program."""


class CorruptCorpus(StoreError):
    """Stored records contradict each other. Run the maintenance job `check` to list what differs."""
