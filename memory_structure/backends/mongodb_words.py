"""The word index on a MongoDB server: one document a page with the list of its words, and an index over the
lists.

A document carries the mark it was written under and never replaces one of a later mark, so several
processes may write at once."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from memory_structure.backends.mongodb_access import Access, Document
from memory_structure.backends.mongodb_journal import OperationKind
from memory_structure.word_index import Document as WordDocument
from memory_structure.word_index import WordIndex

WORDS: Final = "_words"
WORDS_FIELDS: Final = [("w", 1), ("_id", 1)]
_MARK: Final = "_words_mark"
_MARK_ID: Final = "mark"


class MongoWords(WordIndex):
    """A word index in two collections beside those of the tables."""

    def __init__(self, access: Access) -> None:
        self._access = access
        access.add_once(_MARK, {"_id": _MARK_ID, "value": 0})

    def mark(self) -> int:
        """See `WordIndex`."""
        found = self._access.find_one(_MARK, _MARK_ID)
        return 0 if found is None else int(found["value"])

    def advance(
        self, documents: Sequence[WordDocument], removed: Sequence[int], *, before: int, after: int
    ) -> bool:
        """See `WordIndex`."""
        if self.mark() != before:
            return False
        encode = self._access.encode
        fresh = {d.document_id: {"_id": d.document_id, "_v": after, "w": list(d.words)} for d in documents}
        put = [encode(document) for document in fresh.values()]
        self._access.write(WORDS, OperationKind.WRITE, put, after, durable=False)
        gone = [encode({"_id": document_id}) for document_id in removed]
        self._access.write(WORDS, OperationKind.REMOVE, gone, after, durable=False)
        guard: Document = {"_id": _MARK_ID, "value": before}
        return self._access.change_one(_MARK, guard, {"$set": {"value": after}}, durable=True)

    def find(
        self,
        words: Sequence[str],
        *,
        after: int = 0,
        limit: int = 1000,
        among: Sequence[int] | None = None,
    ) -> list[int]:
        """See `WordIndex`."""
        wanted = list(dict.fromkeys(words))
        condition = wanted[0] if len(wanted) == 1 else {"$all": wanted}
        place: Document = {"$gt": after}
        if among is not None:
            place = {"$in": [i for i in among if i > after]}
        query: Document = {"w": condition, "_id": place}
        found = self._access.list_all(WORDS, query, {"_id": 1}, sort=[("_id", 1)], limit=limit)
        return [int(document["_id"]) for document in found]

    def clear(self) -> None:
        """See `WordIndex`."""
        self._access.change_one(_MARK, {"_id": _MARK_ID}, {"$set": {"value": 0}}, durable=True)
        self._access.remove(WORDS, None)
