"""Signatures of pages: equal ones tell an unchanged page, or two that say the same."""

from __future__ import annotations

import hashlib
import re
import unicodedata
from collections import Counter
from enum import StrEnum

_WORD = re.compile(r"[^\W_]+")
_LETTERS_AND_DIGITS = frozenset({"Lu", "Ll", "Lt", "Lm", "Lo", "Nd"})
_DOTTED_I = "\u0130"


class _CharactersOfWords(dict[int, str]):
    """Code of a character -> what it is in a profile, filled as characters are met: in lower case whatever
    stands around it, a blank for what is no letter or digit, or lies beyond 16 bits."""

    def __missing__(self, code: int) -> str:
        character = chr(code)
        if code > 0xFFFF or unicodedata.category(character) not in _LETTERS_AND_DIGITS:
            character = " "
        self[code] = lowered = "i" if character == _DOTTED_I else character.lower()
        return lowered


_PROFILED = _CharactersOfWords()


class SignatureKind(StrEnum):
    """What a signature is made of: the bytes, the text, or the profile of its words."""

    CONTENT = "md5"
    TEXT = "text_md5"
    TEXT_PROFILE = "text_profile"


def md5_of_content(body: bytes, url: str) -> str:
    """MD5 of the bytes, in hexadecimal; of the URL when there are none."""
    return _md5(body or url.encode("utf-8", "replace"))


def signature_of(kind: SignatureKind, body: bytes, text: str, url: str) -> str:
    """Signature of a page, in hexadecimal; without text every kind is that of the content."""
    if kind is SignatureKind.CONTENT or not text:
        return md5_of_content(body, url)
    if kind is SignatureKind.TEXT:
        return _md5(text.encode("utf-8", "replace"))
    return text_profile_signature(text)


def text_profile_signature(text: str, *, min_length: int = 2, rate: float = 0.01) -> str:
    """MD5 of the text's profile, in hexadecimal."""
    return _md5("\n".join(f"{word} {n}" for word, n in text_profile(text, min_length, rate)).encode("utf-8"))


def text_profile(text: str, min_length: int = 2, rate: float = 0.01) -> list[tuple[str, int]]:
    """Words in lower case with their counts, the most frequent first, then by word.

    Words of `min_length` characters or less are left out. Counts are rounded down to a multiple of the
    quantum, a share `rate` of the highest count, at least 2 when any word repeats, else 1; words below it are
    left out. So neither the order of words nor rare words matter.
    """
    found = _WORD.findall(text.lower()) if text.isascii() else text.translate(_PROFILED).split()
    words = (word for word in found if len(word) > min_length)
    counts = Counter(words)
    highest = max(counts.values(), default=0)
    quantum = int(highest * rate + 0.5)
    if quantum < 2:
        quantum = 2 if highest > 1 else 1
    profile = [(word, n - n % quantum) for word, n in counts.items() if n >= quantum]
    return sorted(profile, key=lambda entry: (-entry[1], entry[0]))


def _md5(data: bytes) -> str:
    return hashlib.md5(data, usedforsecurity=False).hexdigest()
