"""Words and arguments of parse statuses (see `base.ParseStatus`), and what becomes of truncated bodies."""

from __future__ import annotations

from hyphe_core.parsers.base import ParseMajor, ParseMinor, ParseResult, ParseStatus, failed

# Below so many seconds a refresh is a temporary redirect, from there on a permanent one.
PERMANENT_REFRESH_SECONDS = 5

MESSAGES = {
    ParseMinor.NONE: "",
    ParseMinor.REDIRECT: "the page leads to another address by itself",
    ParseMinor.EXCEPTION: "the parser failed",
    ParseMinor.TRUNCATED: "the body was cut, or longer than the limit",
    ParseMinor.INVALID_FORMAT: "the content is not of the format that its parser reads",
    ParseMinor.MISSING_PARTS: "parts of the content that its parser needs are missing",
    ParseMinor.MISSING_CONTENT: "there is no content",
}
PARSER_NOT_FOUND = failed(ParseMinor.EXCEPTION, "no parser reads this type")
TRUNCATED = failed(ParseMinor.TRUNCATED, MESSAGES[ParseMinor.TRUNCATED])


def redirected(url: str) -> ParseStatus:
    """The status of a page that was read and has a refresh to this address."""
    return ParseStatus(ParseMajor.SUCCESS, ParseMinor.REDIRECT, url)


def describe(status: ParseStatus) -> str:
    """A status in words: `failed/203: the content is ...`."""
    message = status.message or MESSAGES[status.minor]
    return f"{status.major.name.lower()}/{status.minor.value}" + (f": {message}" if message else "")


def list_arguments(result: ParseResult) -> list[str]:
    """Arguments of a result's status: target and whole seconds of a refresh, else the message when any."""
    if result.status.minor is ParseMinor.REDIRECT and result.refresh is not None:
        return [result.refresh.url, str(int(result.refresh.delay_seconds))]
    return [result.status.message] if result.status.message else []


def is_temporary_refresh(delay_seconds: float) -> bool:
    """Whether a refresh counts as a temporary redirect."""
    return delay_seconds < PERMANENT_REFRESH_SECONDS
