"""Regular expressions written by a user, bounded so that none can hold up a crawl.

Python's engine cannot be stopped while it searches and takes exponential time for some patterns. So the
pattern is judged before its first use: where endless repeats nest in a way that text can be split among them
in many ways it is refused; else the number of repeats that may give back what they took bounds the work by a
power of the length of the text, and that bounds the length of text the pattern is asked about:

    repeats in a row that overlap with what follows     longest text asked about (characters)
    0 or 1                                              4,096
    2                                                   669
    3                                                   186
    4                                                   90

Other endless repeats (`[^/]+/`) count as one more, all together; a pattern that begins with `^` counts one
less. Bounded repeats and optional parts that overlap with what follows multiply the work by the number of
ways they can be taken. More is refused, as are patterns over 2,000 characters. What a rule makes of a longer
text is its own matter: filters refuse it, normalisers leave it as it is.
"""

from __future__ import annotations

import importlib
import re
from collections.abc import Sequence
from functools import cache, lru_cache
from math import factorial
from typing import Any, NamedTuple

MAX_PATTERN_CHARACTERS = 2000
MAX_TEXT_CHARACTERS = 4096
MIN_TEXT_CHARACTERS = 64
MAX_WAYS = 5000
MAX_STEPS = 5e7  # half a second or less
_MAX_POWER = 5
# Repeats up to so many times are counted out; more count as endless.
_MANY = 8
_TOO_MANY = 1e12
_N_CODES = 256  # characters above are one class: judged alike
_EVERYTHING = frozenset(range(_N_CODES + 1))
# The parser of Python's engine has no public name.
_syntax: Any = importlib.import_module("re._parser")
_ops: Any = importlib.import_module("re._constants")
_BEGINNINGS = ((_ops.AT, _ops.AT_BEGINNING), (_ops.AT, _ops.AT_BEGINNING_STRING))
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
        self.max_characters = _longest_text(parsed)

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


def pattern_for_search(text: str) -> BoundedPattern:
    """The pattern of a rule that only asks whether it is found: `.*` at its beginning says nothing and costs
    much. Raises BadPattern."""
    bare = text.removeprefix(".*")
    return BoundedPattern(text if bare[:1] in ("?", "+", "*", "{") else bare)


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


# -- judging a pattern ------------------------------------------------------
class _Judged(NamedTuple):
    """Of a part of a pattern: endless repeats on its worst path that overlap with what follows, in how many
    ways its other choices can be taken (1 = none can be taken back), whether it has other endless repeats."""

    n_overlaps: int
    n_ways: float
    scans: bool

    @property
    def is_ambiguous(self) -> bool:
        return self.n_overlaps > 0 or self.n_ways > 1


_PLAIN = _Judged(0, 1, False)


def _longest_text(parsed: Any) -> int:
    """Characters of the longest text to be searched. Raises BadPattern.

    Positions in ascending order can be chosen in n^p / p! ways.
    """
    groups: dict[int, Any] = {}
    _collect_groups(parsed, groups)
    items = list(parsed)
    judged = _judge(items, frozenset(), groups)
    is_anchored = bool(items) and items[0] in _BEGINNINGS
    power = judged.n_overlaps + int(judged.scans) + int(not is_anchored)
    if power > _MAX_POWER:
        raise BadPattern("too many repeats overlap with what follows them")
    longest = MAX_TEXT_CHARACTERS
    if power:
        longest = min(longest, int((MAX_STEPS / judged.n_ways * factorial(power)) ** (1 / power)))
    if longest < MIN_TEXT_CHARACTERS or judged.n_ways > MAX_WAYS:
        raise BadPattern("repeats that could take for ever")
    return longest


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
    n_overlaps, n_ways, scans = 0, 1.0, False
    for item in reversed(items):
        judged = _judge_item(item, follow, groups)
        starts, nullable = _first_of_item(item, groups, 0)
        follow = starts | follow if nullable else starts
        n_overlaps += judged.n_overlaps
        n_ways = min(n_ways * judged.n_ways, _TOO_MANY)
        scans = scans or judged.scans
    return _Judged(n_overlaps, n_ways, scans)


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
        min(sum(one.n_ways for one in judged), _TOO_MANY) if overlap else max(one.n_ways for one in judged),
        any(one.scans for one in judged),
    )


def _judge_repeat(code: Any, argument: Any, follow: frozenset[int], groups: dict[int, Any]) -> _Judged:
    least, most, body = int(argument[0]), int(argument[1]), list(argument[2])
    starts, nullable = _first(body, groups)
    inner = _judge(body, starts | follow if most > 1 else follow, groups)
    overlaps = least != most and not starts.isdisjoint(follow)
    if most > _MANY:
        if inner.is_ambiguous or nullable:
            raise BadPattern("nested repeats that could take for ever")
        gives_back = overlaps and code is not _ops.POSSESSIVE_REPEAT
        return _Judged(int(gives_back), 1, not gives_back)
    if most > 1 and inner.n_overlaps:
        raise BadPattern("an endless repeat within another repeat that could take for ever")
    n_ways = inner.n_ways ** min(most, _MANY) * (most - least + 1 if overlaps else 1)
    return _Judged(inner.n_overlaps, min(n_ways, _TOO_MANY), inner.scans)


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
        return _both_cases(frozenset((min(argument, _N_CODES),)))
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
            found |= _category(str(value))
    if negated:
        return _EVERYTHING - (found - {_N_CODES})
    return _both_cases(frozenset(found))


_CATEGORY_PATTERNS = {"DIGIT": r"\d", "SPACE": r"\s", "WORD": r"\w"}


@cache
def _category(name: str) -> frozenset[int]:
    """Characters of a class such as `\\w`; those above Latin-1 may belong to any."""
    name = name.removeprefix("CATEGORY_")
    pattern = _CATEGORY_PATTERNS[name.removeprefix("NOT_")]
    inside = {code for code in range(_N_CODES) if re.match(pattern, chr(code))}
    return frozenset((set(range(_N_CODES)) - inside if name.startswith("NOT_") else inside) | {_N_CODES})


@lru_cache(maxsize=512)
def _both_cases(codes: frozenset[int]) -> frozenset[int]:
    cases = {
        ord(case) for code in codes if code < _N_CODES for case in (chr(code).lower(), chr(code).upper()[0])
    }
    return frozenset(codes | {min(code, _N_CODES) for code in cases})
