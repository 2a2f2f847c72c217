import io

import pytest

from hyphe_core.cli.url_lines import GivenLine, read_given, sort_lines
from hyphe_core.errors import UsageFault
from memory_structure.urls import UrlPolicy

POLICY = UrlPolicy()


def test_lines_keep_their_numbers_and_comments_are_passed_over(tmp_path):
    file = tmp_path / "sites.txt"
    file.write_bytes("\ufeffhttp://a.com\r\n\n# one\n  b.com/é  \nbad line\n".encode())
    lines = list(read_given(["c.com"], str(file)))
    assert lines == [
        GivenLine("argument 1", "c.com"),
        GivenLine(f"{file} line 1", "http://a.com"),
        GivenLine(f"{file} line 4", "b.com/é"),
        GivenLine(f"{file} line 5", "bad line"),
    ]


def test_standard_input_is_a_dash(monkeypatch):
    class Input:
        buffer = io.BytesIO(b"a.com\n")

    monkeypatch.setattr("sys.stdin", Input)
    assert list(read_given([], "-")) == [GivenLine("standard input line 1", "a.com")]


def test_octets_that_are_no_utf8_spoil_their_line_only(tmp_path):
    file = tmp_path / "sites.txt"
    file.write_bytes(b"http://a.com/\xff\nhttp://b.com\n")
    assert len(sort_lines(read_given([], str(file)), POLICY).good) == 2


def test_a_file_that_is_absent_is_told(tmp_path):
    with pytest.raises(UsageFault, match="cannot be read: no such file"):
        list(read_given([], str(tmp_path / "none")))


def test_bad_lines_are_told_with_place_and_reason_and_the_rest_goes_on():
    given = [GivenLine("line 1", "a.com"), GivenLine("line 2", "ftp://b.com"), GivenLine("line 3", "")]
    given += [GivenLine("line 4", "http://A.com/"), GivenLine("line 5", "http://b.com/x y")]
    sorted_lines = sort_lines(given, POLICY)
    assert [(each.url, each.lru) for each in sorted_lines.good] == [
        ("http://a.com", "s:http|h:com|h:a|"),
        ("http://b.com/x y", "s:http|h:com|h:b|p:x%20y|"),
    ]
    assert [bad.place for bad in sorted_lines.bad] == ["line 2", "line 3"]
    assert sorted_lines.bad[0].sentence() == (
        "line 2: 'ftp://b.com' skipped: its scheme is ftp, only http and https are web pages"
    )
