"""Encodings in the profile `nutch`: names, and the order of clues."""

from __future__ import annotations

import pytest

from hyphe_core.parsers.base import Document
from hyphe_core.parsers.encoding import EncodingSource
from hyphe_core.parsers.html import HtmlParser
from hyphe_core.parsers.nutch_encoding import (
    Clue,
    canonical_charset,
    choose_encoding,
    decode_as,
    detect_by_clues,
)
from hyphe_core.parsers.profiles import NUTCH


@pytest.mark.parametrize(
    ("label", "name"),
    [
        ("UTF8", "utf-8"),
        (" 'latin1' ", "windows-1252"),
        ("ISO-8859-15", "iso-8859-15"),
        ("euc-kr", "windows-949"),
        ("EUC-CN", "gb18030"),
        ("gb2312", "gb2312"),
        ("sjis", "shift_jis"),
        ("koi8-r", "koi8-r"),
        ("cp1251", "windows-1251"),
        ("utf-16le", "utf-16le"),
        ("ascii", "us-ascii"),
        ("x-cp1251", "windows-1251"),
        ("windows-874", "windows-874"),
        ("windows-31j", "windows-31j"),
        ("ms_kanji", "shift_jis"),
        ("x-euc-jp", "euc-jp"),
        ("ksc_5601", "windows-949"),
        ("koi8", "koi8-r"),
        ("ISO88591", "windows-1252"),
        ("iso88599", "iso-8859-9"),
        ("x-mac-ukrainian", "x-mac-cyrillic"),
        ("logical", "iso-8859-8"),
        ("unicode-1-1-utf-8", "utf-8"),
        ("unicode", "utf-16"),
        ("cp850", "ibm850"),
        ("cp875", "cp875"),
        ("base64", None),
        ("idna", None),
        ("utf-7", None),
        ("nonsense", None),
        ("\0", None),
        ("", None),
    ],
)
def test_names(label: str, name: str | None) -> None:
    assert canonical_charset(label) == name


@pytest.mark.parametrize(
    ("content_type", "body", "name", "source"),
    [
        ("text/html; charset='utf-8'", b"x", "utf-8", EncodingSource.HEADER),
        ("text/html; charset=nonsense", b'<meta charset="koi8-r">', "koi8-r", EncodingSource.META),
        ("text/html; charset=koi8-r", b"\xff\xfe<\0", "utf-16le", EncodingSource.BOM),
        (None, "é".encode(), "utf-8", EncodingSource.VALID_UTF8),
        (None, b"\xe9", "windows-1252", EncodingSource.DEFAULT),
        (None, b" " * 8200 + b'<meta charset="koi8-r">', "windows-1252", EncodingSource.DEFAULT),
        (None, b'<meta name=x charset="koi8-r">', "koi8-r", EncodingSource.META),
        (None, b'<meta charset="utf-16">', "utf-8", EncodingSource.META),
        (None, b'<?xml encoding="koi8-r"?><meta charset="big5">', "big5", EncodingSource.META),
        (None, b'<?xml version="1.0" encoding="koi8-r"?><p>', "koi8-r", EncodingSource.XML),
        (
            None,
            b'<meta charset="koi8-r"><meta http-equiv="content-type" content="a; charset=utf-8">',
            "utf-8",
            EncodingSource.META,
        ),
        ("text/html; charset=x-sjis", b"x", "shift_jis", EncodingSource.HEADER),
    ],
)
def test_order(content_type: str | None, body: bytes, name: str, source: EncodingSource) -> None:
    chosen = detect_by_clues(body, content_type)
    assert (chosen.name, chosen.source) == (name, source)


def test_guesses_count_from_a_threshold_on() -> None:
    body = "Всі люди народжуються вільними і рівними у своїй гідності та правах.".encode("windows-1251") * 20
    assert detect_by_clues(body, "text/html; charset=koi8-r").name == "koi8-r"
    assert detect_by_clues(body, "text/html; charset=koi8-r", 30).name == "windows-1251"
    assert detect_by_clues(b"\xe9", None, 0).source is EncodingSource.DEFAULT


def test_choice_among_clues() -> None:
    guess, header = EncodingSource.STATISTICS, EncodingSource.HEADER
    clues = [
        Clue("nonsense", guess, 99),
        Clue("koi8-r", guess, 60),
        Clue("utf-8", guess, 90),
        Clue("big5", header),
    ]
    assert choose_encoding(clues, 50).name == "koi8-r"
    assert choose_encoding(clues, 70).name == "utf-8"
    assert choose_encoding(clues, 95).name == "big5"
    assert choose_encoding(clues).name == "big5"
    assert choose_encoding(clues[:3]).name == "windows-1252"
    assert "nonsense" in choose_encoding(clues).warning


@pytest.mark.parametrize(
    "name", ["windows-949", "gb2312", "shift_jis", "macintosh", "windows-874", "utf-16", "gb18030"]
)
def test_every_name_can_be_read(name: str) -> None:
    assert decode_as("x".encode("utf-16" if name == "utf-16" else "ascii"), name) == "x"


def test_pages_are_read_in_their_encoding() -> None:
    body = "<title>中</title>".encode("gbk")
    result = HtmlParser(NUTCH).parse(Document("http://e.org/", body, "text/html; charset=GBK"))
    assert (result.title, result.encoding) == ("中", "gb18030")
