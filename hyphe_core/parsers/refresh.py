"""The value of a meta refresh, such as `5; url='next.html'`, read as browsers read it (HTML Standard)."""

from __future__ import annotations

import re
from typing import NamedTuple

_BLANK = r"[\t\n\f\r ]*"
_VALUE = re.compile(
    rf"{_BLANK}(?P<whole>[0-9]*)(?:\.[0-9.]*)?(?P<gap>{_BLANK}[;,]?{_BLANK})(?P<rest>.*)",
    re.DOTALL,
)
_TIME = re.compile(r"[0-9]*(?:\.[0-9]*)?")
_NAME = re.compile(rf"url{_BLANK}={_BLANK}", re.IGNORECASE)
_MAX_DELAY_SECONDS = 1e9


class RefreshValue(NamedTuple):
    """Target as written (never empty) and delay."""

    href: str
    delay_seconds: float


def find_reload_delay(content: str) -> float | None:
    """Seconds after which a value without a target, such as `300`, loads the same page again; None when it is
    malformed or has a target."""
    match = _VALUE.match(content)
    time = _TIME.match(content.lstrip("\t\n\f\r "))
    if match is None or time is None or not time[0] or (match["rest"] and not match["gap"]):
        return None
    return None if read_refresh(content) else _seconds(time[0])


def read_refresh(content: str) -> RefreshValue | None:
    """Target and delay of a refresh; None when it is malformed or names no target (a plain reload)."""
    match = _VALUE.match(content)
    if match is None or not match["rest"] or not match["gap"]:
        return None
    time = _TIME.match(content.lstrip("\t\n\f\r "))
    digits = time[0] if time else ""
    if not digits:
        return None
    href = _unquote(_NAME.sub("", match["rest"], count=1) if _NAME.match(match["rest"]) else match["rest"])
    return RefreshValue(href, _seconds(digits)) if href else None


def _unquote(href: str) -> str:
    """The target without the quotes it may begin with; what follows the closing quote is dropped."""
    if href[:1] in ("'", '"'):
        href = href[1:].partition(href[0])[0]
    return href.strip("\t\n\f\r ")


def _seconds(digits: str) -> float:
    try:
        return min(float(digits), _MAX_DELAY_SECONDS)
    except ValueError:  # a lone full stop is zero
        return 0.0
