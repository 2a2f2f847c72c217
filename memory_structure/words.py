"""Words of texts as searches compare them: without case, accents and punctuation. Every backend and every
search uses these, so that all give the same answers."""

from __future__ import annotations

import re
from functools import cache
from itertools import chain
from typing import Final
from unicodedata import category, normalize

MAX_WORD: Final = 64  # characters kept of a word

# Scripts written without spaces: each character is a word. NFKD has taken voicing marks from kana.
_ALONE: Final = "\u3041-\u3096\u30a1-\u30fa\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\U00020000-\U0003ffff"
_WORD: Final = re.compile(f"[{_ALONE}]|[^\\W_{_ALONE}]+")
_ASCII_WORD: Final = re.compile("[a-z0-9]+")


@cache
def _marks() -> dict[int, None]:
    """All combining marks, to be removed. They stand in the first two planes and in a block of plane 14."""
    return {i: None for i in chain(range(0x20000), range(0xE0100, 0xE01F0)) if category(chr(i))[0] == "M"}


def folded(text: str) -> str:
    """The text without case and accents: NFKD, marks removed, case folded."""
    if text.isascii():
        return text.lower()
    return normalize("NFKD", text).translate(_marks()).casefold()


def words_of(text: str) -> list[str]:
    """The words of a text in its order: runs of letters and digits of the folded text, at most 64 characters
    each; of scripts without spaces each character."""
    plain = folded(text)
    found = _ASCII_WORD.findall(plain) if plain.isascii() else _WORD.findall(plain)
    return [word[:MAX_WORD] for word in found]
