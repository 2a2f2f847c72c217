"""Substrings in the texts of many entities: one buffer for all of them.

Candidates are the places of the needle's rarest byte; each further byte of it leaves fewer of them. So the
time does not depend much on how often the needle occurs: some milliseconds for a hundred thousand texts."""

from __future__ import annotations

from typing import Final

import numpy as np
from numpy.typing import NDArray

_MAX_APART: Final = 1000  # changed texts searched one by one before the buffer is made anew
_END: Final = b"\n"
# Letters and digits of folded texts; those beyond ASCII take bytes from 128 on.
_IN_WORDS: Final = np.array([chr(byte).isalnum() or byte >= 128 for byte in range(256)])

Mask = NDArray[np.bool_]


class Haystack:
    """A text for each entity id; most may be empty. Texts hold no line ends but those that part them."""

    def __init__(self) -> None:
        self._buffer = b""
        self._frequencies: NDArray[np.int64] = np.zeros(256, np.int64)
        self._starts: NDArray[np.int64] = np.zeros(0, np.int64)
        self._ids: NDArray[np.int64] = np.zeros(0, np.int64)
        self._apart: dict[int, bytes] = {}

    def load(self, texts: dict[int, str]) -> None:
        """Hold these texts alone."""
        self._apart = {}
        self._join({entity: text.encode("utf-8", "replace") for entity, text in texts.items() if text})

    def put(self, entity_id: int, text: str) -> None:
        """Set the text of an entity; "" for none."""
        new = text.encode("utf-8", "replace")
        if self._text(entity_id) != new:
            self._apart[entity_id] = new
            if len(self._apart) > _MAX_APART:
                self._fold()

    def mask(self, needle: str, size: int, *, whole: bool = False) -> Mask:
        """For each id below `size`, whether its text holds the needle, or has it as a whole word."""
        found = np.zeros(size, np.bool_)
        wanted = needle.encode("utf-8", "replace")
        places = self._places(wanted, self._bytes(), whole=whole)
        if len(places):
            found[self._ids[np.searchsorted(self._starts, places, "right") - 1]] = True
        for entity_id, text in self._apart.items():
            alone = np.frombuffer(text + _END, np.uint8)
            found[entity_id] = len(self._places(wanted, alone, whole=whole)) > 0
        return found

    def _places(self, wanted: bytes, texts: NDArray[np.uint8], *, whole: bool) -> NDArray[np.int64]:
        """Where the needle begins in texts that end with a line end. The empty one begins everywhere."""
        if len(wanted) >= len(texts):
            return np.zeros(0, np.int64)
        order = sorted(range(len(wanted)), key=lambda i: int(self._frequencies[wanted[i]]))
        if not order:
            return np.arange(len(texts))
        first = order[0]
        end = len(texts) - len(wanted) + first
        places = np.flatnonzero(texts[first:end] == wanted[first])
        for i in order[1:]:
            places = places[texts[places + i] == wanted[i]]
        if whole:
            places = places[~_IN_WORDS[texts[places + len(wanted)]]]
            # Before the first byte stands the last one, a line end.
            places = places[~_IN_WORDS[texts[places - 1]]]
        return places

    def _bytes(self) -> NDArray[np.uint8]:
        return np.frombuffer(self._buffer, np.uint8)

    @property
    def n_bytes(self) -> int:
        """Memory held, about."""
        return len(self._buffer) + 16 * len(self._ids) + sum(map(len, self._apart.values()))

    def _text(self, entity_id: int) -> bytes:
        if entity_id in self._apart:
            return self._apart[entity_id]
        row = int(np.searchsorted(self._ids, entity_id))
        if row == len(self._ids) or self._ids[row] != entity_id:
            return b""
        return self._slice(row)

    def _slice(self, row: int) -> bytes:
        end = int(self._starts[row + 1]) if row + 1 < len(self._starts) else len(self._buffer)
        return self._buffer[int(self._starts[row]) : end - 1]

    def _fold(self) -> None:
        texts = {int(entity): self._slice(row) for row, entity in enumerate(self._ids.tolist())}
        texts.update(self._apart)
        self._apart = {}
        self._join({entity: text for entity, text in texts.items() if text})

    def _join(self, texts: dict[int, bytes]) -> None:
        ids = sorted(texts)
        lengths = np.fromiter((len(texts[i]) + 1 for i in ids), np.int64, len(ids))
        self._ids = np.array(ids, np.int64)
        self._starts = np.cumsum(lengths) - lengths
        self._buffer = b"".join(texts[i] + _END for i in ids)
        self._frequencies = np.bincount(self._bytes(), minlength=256)
