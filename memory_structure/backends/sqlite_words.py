"""The word index of the embedded database: full-text search of SQLite in a file of its own.

Beside the corpus, because a file has one writer at a time. The index keeps no texts and no places of words;
to take a document out of it, its words must be told again, so they are kept as well, compressed."""

from __future__ import annotations

import zlib
from collections.abc import Iterable, Sequence
from itertools import islice
from typing import TYPE_CHECKING, Final

from memory_structure.storage import Row
from memory_structure.word_index import Document, WordIndex

if TYPE_CHECKING:
    from memory_structure.backends.sqlite import SqliteStorage

_TABLES: Final = (
    # This tokenizer splits at ASCII signs alone, so words stay as given.
    "CREATE VIRTUAL TABLE IF NOT EXISTS words USING fts5"
    "(text, content='', columnsize=0, detail=none, tokenize=\"ascii tokenchars '='\")",
    "CREATE TABLE IF NOT EXISTS documents (id INTEGER PRIMARY KEY, words BLOB)",
    "CREATE TABLE IF NOT EXISTS mark (id INTEGER PRIMARY KEY, value INTEGER)",
    "INSERT OR IGNORE INTO mark VALUES (1, 0)",
)
_FIND: Final = "SELECT rowid FROM words WHERE words MATCH ? AND rowid > ? ORDER BY rowid LIMIT ?"
_WITHIN: Final = "SELECT rowid FROM words WHERE words MATCH ? AND rowid BETWEEN ? AND ? ORDER BY rowid"
_WORDS_OF: Final = "SELECT words FROM documents WHERE id = ?"
_DENSE: Final = 150  # a range with one wanted id in so many is read as a whole
_TAKE_OUT: Final = "INSERT INTO words (words, rowid, text) VALUES ('delete', ?, ?)"


class SqliteWords(WordIndex):
    """A word index over a database file that holds nothing else."""

    def __init__(self, storage: SqliteStorage) -> None:
        self._storage = storage
        with storage.writing() as run:
            for statement in _TABLES:
                run(statement, ())

    def mark(self) -> int:
        """See `WordIndex`."""
        return int(self._storage.query("SELECT value FROM mark", ())[0][0])

    def advance(
        self, documents: Sequence[Document], removed: Sequence[int], *, before: int, after: int
    ) -> bool:
        """See `WordIndex`."""
        fresh = {document.document_id: " ".join(document.words) for document in documents}
        with self._storage.writing() as run:
            if run("SELECT value FROM mark", ())[0][0] != before:
                return False
            for document_id in [*fresh, *removed]:
                for (words,) in run(_WORDS_OF, (document_id,)):
                    run(_TAKE_OUT, (document_id, zlib.decompress(words).decode()))
                    run("DELETE FROM documents WHERE id = ?", (document_id,))
            for document_id, text in fresh.items():
                run("INSERT INTO words (rowid, text) VALUES (?, ?)", (document_id, text))
                run("INSERT INTO documents VALUES (?, ?)", (document_id, zlib.compress(text.encode(), 1)))
            run("UPDATE mark SET value = ?", (after,))
        return True

    def find(
        self,
        words: Sequence[str],
        *,
        after: int = 0,
        limit: int = 1000,
        among: Sequence[int] | None = None,
    ) -> list[int]:
        """See `WordIndex`."""
        match = " AND ".join(f'"{word}"' for word in dict.fromkeys(words))
        if among is None:
            return _first_of(self._storage.query(_FIND, (match, after, limit)))
        wanted = {i for i in among if i > after}
        if not wanted:
            return []
        lowest, highest = min(wanted), max(wanted)
        if highest - lowest < _DENSE * len(wanted):
            hits = _first_of(self._storage.query(_WITHIN, (match, lowest, highest)))
            return [i for i in hits if i in wanted][:limit]
        having = (i for i in sorted(wanted) if self._has(i, words))
        return list(islice(having, limit))

    def _has(self, document_id: int, words: Sequence[str]) -> bool:
        """Whether a document has all the words, by those kept of it: the index finds one document no faster
        than many."""
        rows = self._storage.query(_WORDS_OF, (document_id,))
        held = f" {zlib.decompress(rows[0][0]).decode()} " if rows else ""
        return all(f" {word} " in held for word in words)

    def clear(self) -> None:
        """See `WordIndex`."""
        with self._storage.writing() as run:
            run("INSERT INTO words (words) VALUES ('delete-all')", ())
            run("DELETE FROM documents", ())
            run("UPDATE mark SET value = 0", ())


def _first_of(rows: Iterable[Row]) -> list[int]:
    return [row[0] for row in rows]
