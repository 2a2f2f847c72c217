"""Fragments of the languages that the parse stage reads, from the files in `fragments`: one a line, with the
escapes of Python; `%d` stands for a number that differs each time."""

from __future__ import annotations

from pathlib import Path


def _read(name: str) -> tuple[bytes, ...]:
    lines = (Path(__file__).parent / "fragments" / f"{name}.txt").read_text("ascii").splitlines()
    return tuple(line.encode().decode("unicode_escape").encode("latin-1") for line in lines)


HTML, XML, FEEDS = _read("html"), _read("xml"), _read("feeds")
ROBOTS, REFRESH, URLS, PATTERNS = _read("robots"), _read("refresh"), _read("urls"), _read("patterns")
CONTENT_TYPES = (
    None,
    "",
    "text/html",
    "text/html; charset=utf-8",
    "text/html; charset=windows-1252",
    "text/html; charset=utf-16",
    "text/html; charset=iso-2022-jp",
    "text/html;charset=hex",
    "application/xhtml+xml",
    "application/xml",
    "text/xml; charset=utf-8",
    "application/rss+xml",
    "application/atom+xml; charset=iso-8859-1",
    "text/plain",
    "image/svg+xml",
    "application/octet-stream",
    "application/json",
    "x",
)
CHARSETS = (
    "utf-8 utf-16 utf-16le utf-16be utf-32 utf-7 utf-8-sig latin-1 windows-1252 windows-874 gbk gb2312"
    " gb18030 big5 big5hkscs hz euc-jp euc-kr iso-2022-jp iso-2022-kr shift_jis cp949 koi8-r mac macintosh"
    " x-user-defined hex rot13 base64 zip unicode-escape raw-unicode-escape undefined mbcs oem charmap none"
    " unknown x-sjis"
).split()
