"""Reads of parses, signatures and scores."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

from memory_structure.parses import PageParse, PageSignature
from memory_structure.storage import Reader
from memory_structure.stored.page_reads import PageReads, page_row
from memory_structure.stored.parse_rows import parse_of
from memory_structure.stored.schema import PARSES
from memory_structure.stored.scores import ScoreArray


class ParseReads(PageReads):
    """What was kept of parses."""

    def find_parse(self, lru: str) -> PageParse | None:
        """The parse of a page's last answer."""

        def read(reader: Reader) -> PageParse | None:
            page = page_row(reader, lru)
            row = None if page is None else reader.get(PARSES, (page[0],)).get(page[0])
            return None if row is None else parse_of(row)

        return self._at_one_moment(read)

    def iter_signatures(self) -> Iterator[PageSignature]:
        """Signatures of pages, by page id."""
        columns = ("page_id", "signature", "text_profile")
        for page_id, signature, profile in self._storage.scan(PARSES, columns=columns):
            if signature is not None:
                yield PageSignature(page_id, signature.hex(), "" if profile is None else profile.hex())

    def scores(self) -> NDArray[np.float32]:
        """Scores of pages by their id."""

        def read(reader: Reader) -> NDArray[np.float32]:
            scores = ScoreArray()
            scores.refresh(reader)
            return scores.values

        return self._at_one_moment(read)
