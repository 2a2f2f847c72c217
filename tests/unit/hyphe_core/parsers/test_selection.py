"""Parsers chosen by map, declaration, suffix and wildcard; and run until one succeeds."""

from __future__ import annotations

import pytest

from hyphe_core.parsers.base import SUCCESS, ParseMinor, ParseStatus, failed
from hyphe_core.parsers.selection import Declaration, Evidence, ParserMap, run_in_order

DECLARED = {
    one.name: one
    for one in (
        Declaration("html", ("text/html", "application/xhtml+xml")),
        Declaration("office", ("application/vnd.*|application/msword",)),
        Declaration("feed", ("application/rss+xml",), ("rss", "atom")),
        Declaration("all", ("*",)),
    )
}
MAP = ParserMap({"*": ["all"], "text/html": ["html"], "text/plain": ["html", "all"]}, DECLARED)


@pytest.mark.parametrize(
    ("content_type", "suffix", "parsers", "evidence"),
    [
        (" Text/HTML ; x=y", "", ("html",), Evidence.MAP),
        ("text/plain", "rss", ("html", "all"), Evidence.MAP),
        ("application/vnd.ms-excel", "", ("all", "office"), Evidence.DECLARATION),
        ("application/msword", "", ("all", "office"), Evidence.DECLARATION),
        ("application/vnd", "", ("all",), Evidence.DECLARATION),
        ("", "", ("all",), Evidence.DECLARATION),
    ],
)
def test_selection(content_type: str, suffix: str, parsers: tuple[str, ...], evidence: Evidence) -> None:
    assert MAP.select(content_type, suffix)[:2] == (parsers, evidence)


def test_a_mapped_parser_that_does_not_declare_the_type_is_doubted() -> None:
    assert len(MAP.select("text/plain").warnings) == 1
    assert MAP.select("text/html").warnings == ()


def test_the_suffix_is_asked_before_the_wildcard() -> None:
    without_catch_all = {name: one for name, one in DECLARED.items() if name != "all"}
    by_map = ParserMap({"*": ["html"]}, without_catch_all)
    assert by_map.select("x/y", "ATOM")[:2] == (("feed",), Evidence.SUFFIX)
    assert by_map.select("x/y", "txt")[:2] == (("html",), Evidence.WILDCARD)
    assert ParserMap({}, without_catch_all).select("x/y")[:2] == ((), Evidence.NOTHING)


def test_disabled_parsers_are_not_chosen() -> None:
    some = ParserMap(MAP.types, DECLARED, {"feed"})
    assert some.select("text/html").parsers == ()
    assert some.select("text/html", "rss").parsers == ("feed",)
    assert ParserMap(MAP.types, DECLARED, {"all"}).select("text/html")[:2] == (("all",), Evidence.WILDCARD)


def run(*outcomes: ParseStatus | Exception | None) -> tuple[str, ParseStatus]:
    by_name = {str(index): outcome for index, outcome in enumerate(outcomes)}

    def parse(name: str) -> ParseStatus | None:
        outcome = by_name[name]
        if isinstance(outcome, Exception):
            raise outcome
        return outcome

    return run_in_order(list(by_name), parse)


def test_the_first_success_counts() -> None:
    assert run(failed(ParseMinor.TRUNCATED, "x"), None, SUCCESS, SUCCESS) == ("2", SUCCESS)


def test_the_last_failure_that_says_something_survives() -> None:
    telling, later = failed(ParseMinor.INVALID_FORMAT, "x"), failed(ParseMinor.MISSING_PARTS, "y")
    plain = failed(ParseMinor.NONE, "")
    assert run(telling, ValueError("secret")) == ("0", telling)
    assert run(telling, plain) == ("0", telling)
    assert run(telling, later, None) == ("1", later)


def test_what_a_parser_raises_is_told_without_its_text() -> None:
    name, status = run(ValueError("secret"))
    assert (name, status.minor) == ("0", ParseMinor.EXCEPTION)
    assert "ValueError" in status.message
    assert "secret" not in status.message


def test_no_parser_at_all_is_a_failure() -> None:
    assert run()[1].minor is ParseMinor.EXCEPTION
