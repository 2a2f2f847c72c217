"""What an HTTP status means for a crawl, and whether a body arrived whole."""

from __future__ import annotations

from collections.abc import Sequence
from enum import StrEnum


class ProtocolStatus(StrEnum):
    """The outcome of a fetch."""

    SUCCESS = "success"
    MOVED = "moved"
    TEMP_MOVED = "temp_moved"
    NOT_MODIFIED = "notmodified"
    ACCESS_DENIED = "access_denied"
    NOT_FOUND = "notfound"
    GONE = "gone"
    EXCEPTION = "exception"


_BY_CODE = {
    200: ProtocolStatus.SUCCESS,
    302: ProtocolStatus.TEMP_MOVED,
    303: ProtocolStatus.TEMP_MOVED,
    307: ProtocolStatus.TEMP_MOVED,
    304: ProtocolStatus.NOT_MODIFIED,
    400: ProtocolStatus.GONE,
    401: ProtocolStatus.ACCESS_DENIED,
    404: ProtocolStatus.NOT_FOUND,
    410: ProtocolStatus.GONE,
}


def protocol_status(code: int) -> ProtocolStatus:
    """Outcome of an HTTP status: 200 alone is success, 3xx that are not named temporary are permanent moves,
    all that is left (403 and 5xx among it) may be tried again."""
    named = _BY_CODE.get(code)
    if named is not None:
        return named
    return ProtocolStatus.MOVED if 300 <= code < 400 else ProtocolStatus.EXCEPTION


class TruncationReason(StrEnum):
    """Why a body is not whole."""

    NOT_TRUNCATED = "not_truncated"
    LENGTH = "length"
    TIME = "time"
    DISCONNECT = "disconnect"
    INTERNAL = "internal"
    UNSPECIFIED = "unspecified"


def is_truncated(n_bytes: int | None, declared_length: str | None, flag: str | None = None) -> bool:
    """Whether a body of `n_bytes` (None = there is no body) was cut.

    `flag` is what the transport says ("true" or "false") and decides; else a readable Content-Length above
    the bytes received does. Of a compressed answer the declared length is that of its compressed form.
    """
    if n_bytes is None:
        return False
    if flag is not None:
        return flag.strip().lower() == "true"
    if declared_length is None:
        return False
    length = declared_length.strip().removeprefix("+")
    return length.isascii() and length.isdigit() and int(length[:20]) > n_bytes


def parses_body(*, truncated: bool, skips_truncated: bool = True) -> bool:
    """Whether a body is parsed at all; a cut one is not by default."""
    return not (truncated and skips_truncated)


def redirect_location(headers: Sequence[tuple[str, str]]) -> str:
    """The Location header, whatever the case of its name; "" means the page itself."""
    return next((value.strip() for name, value in headers if name.lower() == "location"), "")
