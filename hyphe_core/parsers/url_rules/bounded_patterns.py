"""Regular expressions written by a user, bounded so that none can hold up a crawl.

Python's engine cannot be stopped while it searches and takes exponential time for some patterns. So the
pattern is judged before its first use: where repeats nest in a way that text can be split among them in
many ways it is refused; else the number of repeats that may give back what they took bounds the work by a
power of the length of the text, and that bounds the length of text the pattern is asked about:

    repeats in a row that overlap with what follows     longest text asked about (characters)
    0 or 1                                              10,000
    2                                                   669
    3                                                   186
    4                                                   90

More are refused, as are patterns over 2,000 characters. What a rule makes of a longer text is its own
matter: filters refuse it, normalisers leave it as it is.
"""

from __future__ import annotations

import importlib
import re
from collections.abc import Sequence
from math import factorial
from typing import Any, NamedTuple

MAX_PATTERN_CHARACTERS = 2000
MAX_TEXT_CHARACTERS = 10_000
MAX_STEPS = 5e7  # half a second or less
_MAX_POWER = 5
# Repeats up to so many times are taken as so many optional copies; more count as endless.
_MANY = 8
_N_CODES = 256  # characters above are one class: judged alike
_EVERYTHING = frozenset(range(_N_CODES + 1))
# The parser of Python's engine has no public name.
_syntax: Any = importlib.import_module("re._parser")
_ops: Any = importlib.import_module("re._constants")
_INLINE_FLAGS = re.compile(r"\(\?([aimsux]+)\)")
_GROUP_REFERENCE = re.compile(r"\\(.)|\$([0-9])", re.DOTALL)


class BadPattern(ValueError):
    """A pattern that is malformed or could take too long. The reason is the message."""


class BoundedPattern:
    """A compiled pattern with the longest text it may be asked about. Immutable."""

    __slots__ = ("_regex", "max_characters", "text")

    def __init__(self, text: str) -> None:
        """Raises BadPattern."""
        if len(text) > MAX_PATTERN_CHARACTERS:
            raise BadPattern(f"a pattern of {len(text)} characters, more than {MAX_PATTERN_CHARACTERS}")
        try:
            self._regex = re.compile(_scope_flags(text))
            parsed = _syntax.parse(_scope_flags(text))
        except (re.error, OverflowError, RecursionError) as error:
            raise BadPattern(f"not a regular expression: {error}") from error
        self.text = text
        self.max_characters = _longest_text(_power_of(parsed))

    def search(self, text: str) -> bool:
        """Whether the pattern is found anywhere in the text. Raises TextTooLong."""
        self._check(text)
        return self._regex.search(text) is not None

    def replace(self, text: str, replacement: str) -> str:
        """The text with every match replaced; `$1` stands for a group. Raises TextTooLong."""
        self._check(text)
        return self._regex.sub(lambda match: _fill(replacement, match), text)

    def _check(self, text: str) -> None:
        if len(text) > self.max_characters:
            raise TextTooLong(f"{len(text)} characters, more than {self.max_characters} for {self.text!r}")


class TextTooLong(ValueError):
    """The text is longer than the pattern may be asked about."""


def _scope_flags(text: str) -> str:
    """Flags in the middle hold to the end, as in other dialects; Python wants a group for that."""
    if len(_INLINE_FLAGS.findall(text)) == 0 or _INLINE_FLAGS.match(text):
        return text
    match = _INLINE_FLAGS.search(text)
    assert match is not None
    return f"{text[: match.start()]}(?{match[1]}:{text[match.end() :]})"


def _fill(replacement: str, match: re.Match[str]) -> str:
    def value(reference: re.Match[str]) -> str:
        if reference[1] is not None:
            return reference[1]
        number = int(reference[2])
        return (match[number] or "") if number <= (match.re.groups) else ""

    return _GROUP_REFERENCE.sub(value, replacement)


def _longest_text(power: int) -> int:
    """Positions in ascending order can be chosen in n^p / p! ways."""
    return min(MAX_TEXT_CHARACTERS, int((MAX_STEPS * factorial(power)) ** (1 / power)))


# -- judging a pattern ------------------------------------------------------
class _Judged(NamedTuple):
    """Of a part of a pattern: repeats on its worst path that overlap with what follows, whether any choice in
    it can be taken back, whether it has an endless repeat at all."""

    n_overlaps: int
    is_ambiguous: bool
    is_endless: bool


_PLAIN = _Judged(0, False, False)


def _power_of(parsed: Any) -> int:
    groups: dict[int, Any] = {}
    _collect_groups(parsed, groups)
    judged = _judge(list(parsed), frozenset(), groups)
    items = list(parsed)
    is_anchored = (
        bool(items)
        and items[0][0] is _ops.AT
        and items[0][1]
        in (
            _ops.AT_BEGINNING,
            _ops.AT_BEGINNING_STRING,
        )
    )
    power = (
        judged.n_overlaps + (0 if is_anchored else 1) + (0 if judged.n_overlaps else int(judged.is_endless))
    )
    if power > _MAX_POWER:
        raise BadPattern("too many repeats overlap with what follows them")
    return max(power, 1)


def _collect_groups(items: Any, groups: dict[int, Any]) -> None:
    for code, argument in items:
        if code is _ops.SUBPATTERN:
            if argument[0] is not None:
                groups[argument[0]] = argument[3]
            _collect_groups(argument[3], groups)
        elif code in (_ops.MAX_REPEAT, _ops.MIN_REPEAT, _ops.POSSESSIVE_REPEAT):
            _collect_groups(argument[2], groups)
        elif code is _ops.BRANCH:
            for branch in argument[1]:
                _collect_groups(branch, groups)


def _judge(items: Sequence[Any], follow: frozenset[int], groups: dict[int, Any]) -> _Judged:
    """Judge a sequence of items after which one of `follow` comes."""
    total, ambiguous, endless = 0, False, False
    for index, item in enumerate(items):
        after = _first(items[index + 1 :], groups)
        starts = after[0] | (follow if after[1] else frozenset())
        judged = _judge_item(item, starts, groups)
        total += judged.n_overlaps
        ambiguous = ambiguous or judged.is_ambiguous
        endless = endless or judged.is_endless
    return _Judged(total, ambiguous, endless)


def _judge_item(item: Any, follow: frozenset[int], groups: dict[int, Any]) -> _Judged:
    code, argument = item
    if code is _ops.SUBPATTERN:
        return _judge(list(argument[3]), follow, groups)
    if code is _ops.ATOMIC_GROUP:
        return _judge(list(argument), follow, groups)
    if code is _ops.BRANCH:
        return _judge_branch([list(branch) for branch in argument[1]], follow, groups)
    if code in (_ops.ASSERT, _ops.ASSERT_NOT):
        return _judge(list(argument[1]), _EVERYTHING, groups)
    if code in (_ops.MAX_REPEAT, _ops.MIN_REPEAT, _ops.POSSESSIVE_REPEAT):
        return _judge_repeat(code, argument, follow, groups)
    if code is _ops.GROUPREF_EXISTS:
        raise BadPattern("conditional groups are not supported")
    return _PLAIN


def _judge_branch(branches: list[list[Any]], follow: frozenset[int], groups: dict[int, Any]) -> _Judged:
    judged = [_judge(branch, follow, groups) for branch in branches]
    seen: set[int] = set()
    overlap = False
    for branch in branches:
        starts, nullable = _first(branch, groups)
        wide = starts | follow if nullable else starts
        overlap = overlap or not seen.isdisjoint(wide)
        seen |= wide
    return _Judged(
        max(one.n_overlaps for one in judged),
        overlap or any(one.is_ambiguous for one in judged),
        any(one.is_endless for one in judged),
    )


def _judge_repeat(code: Any, argument: Any, follow: frozenset[int], groups: dict[int, Any]) -> _Judged:
    least, most, body = argument
    items = list(body)
    starts, nullable = _first(items, groups)
    inner = _judge(items, starts | follow if most > 1 else follow, groups)
    is_variable = least != most
    overlaps = is_variable and not starts.isdisjoint(follow)
    if most <= 1:
        return _Judged(inner.n_overlaps, inner.is_ambiguous or overlaps, inner.is_endless)
    if most > _MANY and (inner.is_ambiguous or nullable):
        raise BadPattern("nested repeats that could take for ever")
    if code is _ops.POSSESSIVE_REPEAT:
        return _Judged(inner.n_overlaps, False, True)
    if most <= _MANY:
        return _Judged(inner.n_overlaps * int(most), inner.is_ambiguous or overlaps, inner.is_endless)
    return _Judged(inner.n_overlaps + int(overlaps), inner.is_ambiguous or overlaps, True)


def _first(items: Sequence[Any], groups: dict[int, Any], depth: int = 0) -> tuple[frozenset[int], bool]:
    """(characters a sequence may begin with, whether it may be empty)."""
    starts: frozenset[int] = frozenset()
    for item in items:
        found, nullable = _first_of_item(item, groups, depth)
        starts |= found
        if not nullable:
            return starts, False
    return starts, True


def _first_of_item(item: Any, groups: dict[int, Any], depth: int) -> tuple[frozenset[int], bool]:
    code, argument = item
    if code in (_ops.LITERAL, _ops.NOT_LITERAL, _ops.IN, _ops.ANY):
        return _characters(code, argument), False
    if code in (_ops.MAX_REPEAT, _ops.MIN_REPEAT, _ops.POSSESSIVE_REPEAT):
        starts, nullable = _first(list(argument[2]), groups, depth)
        return starts, nullable or argument[0] == 0
    if code is _ops.SUBPATTERN:
        return _first(list(argument[3]), groups, depth)
    if code is _ops.ATOMIC_GROUP:
        return _first(list(argument), groups, depth)
    if code is _ops.BRANCH:
        parts = [_first(list(branch), groups, depth) for branch in argument[1]]
        return frozenset().union(*(part[0] for part in parts)), any(part[1] for part in parts)
    if code is _ops.GROUPREF and depth < 3 and argument in groups:
        return _first(list(groups[argument]), groups, depth + 1)
    if code in (_ops.AT, _ops.ASSERT, _ops.ASSERT_NOT):
        return frozenset(), True
    return _EVERYTHING, True


def _characters(code: Any, argument: Any) -> frozenset[int]:
    """Characters of one item, cases of a letter taken as one."""
    if code is _ops.ANY:
        return _EVERYTHING
    if code is _ops.LITERAL:
        return _both_cases({min(argument, _N_CODES)})
    if code is _ops.NOT_LITERAL:
        return _EVERYTHING - {argument}
    found: set[int] = set()
    negated = False
    for kind, value in argument:
        if kind is _ops.NEGATE:
            negated = True
        elif kind is _ops.LITERAL:
            found.add(min(value, _N_CODES))
        elif kind is _ops.RANGE:
            found.update(range(min(value[0], _N_CODES), min(value[1], _N_CODES) + 1))
        else:
            found |= _category(value)
    if negated:
        return _EVERYTHING - (found - {_N_CODES})
    return _both_cases(found)


_CATEGORY_PATTERNS = {"DIGIT": r"\d", "SPACE": r"\s", "WORD": r"\w"}


def _category(value: Any) -> frozenset[int]:
    """Characters of a class such as `\\w`; those above Latin-1 may belong to any."""
    name = str(value).removeprefix("CATEGORY_")
    pattern = _CATEGORY_PATTERNS[name.removeprefix("NOT_")]
    inside = {code for code in range(_N_CODES) if re.match(pattern, chr(code))}
    return frozenset((set(range(_N_CODES)) - inside if name.startswith("NOT_") else inside) | {_N_CODES})


def _both_cases(codes: set[int]) -> frozenset[int]:
    cases = {
        ord(case) for code in codes if code < _N_CODES for case in (chr(code).lower(), chr(code).upper()[0])
    }
    return frozenset(codes | {min(code, _N_CODES) for code in cases})
