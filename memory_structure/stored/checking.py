"""Proving the laws of a corpus, and making derived data anew."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import islice

from memory_structure.corpus_records import Finding
from memory_structure.storage import Reader
from memory_structure.stored.laws import LAWS
from memory_structure.stored.options import read_options
from memory_structure.stored.rebuilding import rebuild
from memory_structure.stored.state import read_state
from memory_structure.stored.territory import Territory
from memory_structure.stored.text_search import StoredTextSearch


class Checking(StoredTextSearch):
    """Laws of a corpus."""

    def check(self, limit: int = 100) -> list[Finding]:
        """Prove the laws; what breaks them."""
        return self._at_one_moment(lambda reader: list(islice(_findings(reader), limit)))

    def rebuild(self, *, dry_run: bool = False) -> list[Finding]:
        """Make derived data anew; what differed before."""
        differing = self.check()
        if not dry_run and differing:
            with self._writing() as session:
                rebuild(session)
        return differing


def _findings(reader: Reader) -> Iterator[Finding]:
    territory = Territory()
    territory.refresh(reader, read_state(reader), read_options(reader))
    for law in LAWS:
        yield from law(reader, territory)
