"""Percent-encoding of paths, queries and fragments: one spelling for each, so that equal addresses have equal
keys.

Decoded: the octets RFC 3986 calls unreserved, and ! ' ( ) * , : @. Encoded: controls, space, " < > [ ] ^ \\ {
| } and backquote, everything outside ASCII (as UTF-8), and a percent sign that begins no escape. All else
stays as found, with upper-case hexadecimal digits. Recoding twice changes nothing more.
"""

import re
from collections.abc import Callable
from typing import Final

_DECODED: Final = frozenset(b"abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-._~!'()*,:@")
_PLAIN_CLASS: Final = r"A-Za-z0-9\-._~!$&'()*+,;=:@/"  # a query and a fragment also hold "?" as it is


def _escapes() -> dict[str, str]:
    """Every way to write an escape -> its one spelling."""
    table = {}
    for octet in range(256):
        canonical = chr(octet) if octet in _DECODED else f"%{octet:02X}"
        hexa = f"{octet:02x}"
        for high in {hexa[0], hexa[0].upper()}:
            for low in {hexa[1], hexa[1].upper()}:
                table[f"%{high}{low}"] = canonical
    return table


_ENCODED_OCTET: Final = tuple(f"%{octet:02X}" for octet in range(256))
_ONE_SPELLING: Final = _escapes()
_ONE_SPELLING.update({chr(octet): _ENCODED_OCTET[octet] for octet in range(128)})


def _kept_escapes() -> str:
    """The pattern of the escapes that stay, made from the table so that both always agree."""
    by_high: dict[str, str] = {}
    for octet in range(256):
        if octet not in _DECODED:
            digits = f"{octet:02X}"
            by_high[digits[0]] = by_high.get(digits[0], "") + digits[1]
    groups: dict[str, str] = {}
    for high, lows in by_high.items():
        groups[lows] = groups.get(lows, "") + high
    return "%(?:" + "|".join(f"[{highs}][{lows}]" for lows, highs in groups.items()) + ")"


_KEPT: Final = _kept_escapes()
_PLAIN_PATH: Final = re.compile(rf"(?:[{_PLAIN_CLASS}]+|{_KEPT})*+")
_PLAIN_QUERY: Final = re.compile(rf"(?:[{_PLAIN_CLASS}?]+|{_KEPT})*+")
# A run of anything to look at: an escape, a lone percent sign, a character that is not plain. The first
# item stands before the repetition because a search is fast when its pattern begins with a character class.
_ESCAPE_TAIL: Final = r"(?:(?<=%)[0-9A-Fa-f]{2})?"
_ODD_IN_PATH: Final = re.compile(rf"[^{_PLAIN_CLASS}]{_ESCAPE_TAIL}(?:[^{_PLAIN_CLASS}]{_ESCAPE_TAIL})*+")
_ODD_IN_QUERY: Final = re.compile(rf"[^{_PLAIN_CLASS}?]{_ESCAPE_TAIL}(?:[^{_PLAIN_CLASS}?]{_ESCAPE_TAIL})*+")
_ESCAPE_OR_CHARACTER: Final = re.compile(r"%[0-9A-Fa-f]{2}|.", re.DOTALL)
_MAX_KNOWN_RUNS: Final = 20_000
_LONGEST_KNOWN_RUN: Final = 32

is_plain_path: Final[Callable[[str], re.Match[str] | None]] = _PLAIN_PATH.fullmatch
is_plain_query: Final[Callable[[str], re.Match[str] | None]] = _PLAIN_QUERY.fullmatch


_known_runs: dict[str, str] = {}


def _respell(match: re.Match[str]) -> str:
    run = match[0]
    known = _known_runs.get(run)
    if known is None:
        known = _ESCAPE_OR_CHARACTER.sub(_one_spelling, run)
        if len(run) <= _LONGEST_KNOWN_RUN:
            if len(_known_runs) >= _MAX_KNOWN_RUNS:
                _known_runs.clear()
            _known_runs[run] = known
    return known


def _one_spelling(match: re.Match[str]) -> str:
    item = match[0]
    known = _ONE_SPELLING.get(item)
    if known is not None:
        return known
    return "".join([_ENCODED_OCTET[octet] for octet in item.encode("utf-8", "replace")])


def recode_path(path: str) -> str:
    """A path in its one spelling; slashes and dot segments are left alone."""
    return _ODD_IN_PATH.sub(_respell, path)


def recode_query(query: str) -> str:
    """A query (or fragment) in its one spelling; order, empty values, "+" and "&" are left alone."""
    return _ODD_IN_QUERY.sub(_respell, query)
