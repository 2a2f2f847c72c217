"""Encodings: the order of evidence, the labels of the web, and that nothing raises."""

from __future__ import annotations

import encodings.aliases

import pytest

from hyphe_core.parsers.base import Document
from hyphe_core.parsers.encoding import (
    N_DECLARATION_BYTES,
    EncodingSource,
    decode,
    detect_encoding,
    encode,
    find_encoding,
)
from hyphe_core.parsers.html import HtmlParser

E_ACUTE_UTF8 = "é".encode()


@pytest.mark.parametrize(
    ("body", "content_type", "name", "source"),
    [
        (b"\xef\xbb\xbfx", "text/html; charset=iso-8859-1", "utf-8", EncodingSource.BOM),
        (b"\xff\xfex\x00", "text/html; charset=utf-8", "utf-16le", EncodingSource.BOM),
        (b"\xfe\xff\x00x", None, "utf-16be", EncodingSource.BOM),
        (b"<meta charset=koi8-r>", "text/html; charset=UTF-8", "utf-8", EncodingSource.HEADER),
        (b"x", "text/html;charset='utf8'", "utf-8", EncodingSource.HEADER),
        (b"x", 'text/html; Charset = "Windows-1251" ; q=1', "windows-1251", EncodingSource.HEADER),
        (b"x", "text/html; charset=iso-8859-1", "windows-1252", EncodingSource.HEADER),
        (b"x", "text/html; charset=us-ascii", "windows-1252", EncodingSource.HEADER),
        (b"x", "text/html; charset=iso-8859-15", "iso-8859-15", EncodingSource.HEADER),
        (b"<meta charset=iso-8859-1>", "text/html; charset=no-such", "windows-1252", EncodingSource.META),
        (b"<META CHARSET = 'koi8-r' />", "text/html", "koi8-r", EncodingSource.META),
        (b"<meta name=x\ncharset=big5>", None, "big5", EncodingSource.META),
        (
            b'<meta http-equiv="Content-Type" content="text/html; charset=gb2312">',
            None,
            "gbk",
            EncodingSource.META,
        ),
        (
            b"<meta content='text/html;charset=euc-jp' http-equiv=content-type>",
            None,
            "euc-jp",
            EncodingSource.META,
        ),
        (b"<meta name=description content='charset=koi8-r'>", None, "utf-8", EncodingSource.ASCII),
        (b"<meta charset=utf-16>", None, "utf-8", EncodingSource.META),
        (b"<!-- <meta charset=koi8-r> --><meta charset=big5>", None, "big5", EncodingSource.META),
        (b"<meta charset=no-such><p>", None, "utf-8", EncodingSource.ASCII),
        (b"<?xml version='1.0' encoding='koi8-r'?><meta charset=big5>", None, "koi8-r", EncodingSource.XML),
        (b" " * N_DECLARATION_BYTES + b"<meta charset=koi8-r>", None, "utf-8", EncodingSource.ASCII),
        (
            b"<meta charset=koi8-r>" + b" " * N_DECLARATION_BYTES,
            None,
            "koi8-r",
            EncodingSource.META,
        ),
        (
            b" " * (N_DECLARATION_BYTES - 21) + b"<meta charset=iso-8859-15>",
            None,
            "utf-8",
            EncodingSource.ASCII,
        ),
        (b"x", "text/html; charset=x-cp1251", "windows-1251", EncodingSource.HEADER),
        (b"x", "text/html; charset=ISO88592", "iso-8859-2", EncodingSource.HEADER),
        (b"x", "text/html; charset=csISO88598I", "iso-8859-8-i", EncodingSource.HEADER),
        (b"x", "text/html; charset=ucs-2", "utf-16le", EncodingSource.HEADER),
        (b"x", "text/html; charset=csKSC56011987", "euc-kr", EncodingSource.HEADER),
        (b"plain", None, "utf-8", EncodingSource.ASCII),
        (E_ACUTE_UTF8, None, "utf-8", EncodingSource.VALID_UTF8),
        (E_ACUTE_UTF8 + b"\xc3", None, "utf-8", EncodingSource.VALID_UTF8),
        (b"\xc3", None, "windows-1252", EncodingSource.DEFAULT),
        (b"caf\xe9 \x80", None, "windows-1252", EncodingSource.DEFAULT),
        (b"", None, "utf-8", EncodingSource.ASCII),
    ],
)
def test_order_of_evidence(body: bytes, content_type: str | None, name: str, source: EncodingSource) -> None:
    encoding = detect_encoding(body, content_type)
    assert (encoding.name, encoding.source) == (name, source)


def test_statistics_decide_only_when_nearly_certain() -> None:
    japanese = (
        "<p>" + "日本語の文章です。これは長い文章であり、文字コードの判定に十分な長さがあります。" * 20
    ).encode("shift_jis")
    assert detect_encoding(japanese, None)[:2] == ("shift_jis", EncodingSource.STATISTICS)
    assert detect_encoding("naïve café".encode("latin-1"), None)[:2] == (
        "windows-1252",
        EncodingSource.DEFAULT,
    )


def test_unknown_label_gives_a_warning_and_the_next_step() -> None:
    encoding = detect_encoding(b"x", "text/html; charset=klingon")
    assert encoding.source is EncodingSource.ASCII
    assert "klingon" in encoding.warning


def test_utf8_declared_as_latin1_keeps_its_label_with_a_warning() -> None:
    encoding = detect_encoding(E_ACUTE_UTF8, "text/html; charset=iso-8859-1")
    assert encoding.name == "windows-1252"
    assert "valid UTF-8" in encoding.warning
    assert detect_encoding(b"\xe9t\xe9", "text/html; charset=iso-8859-1").warning == ""


@pytest.mark.parametrize(
    ("label", "name"),
    [
        (" UTF-8 ", "utf-8"),
        ("'utf8'", "utf-8"),
        ("ISO_8859-1", "windows-1252"),
        ("latin5", "windows-1254"),
        ("x-sjis", "shift_jis"),
        ("ks_c_5601-1987", "euc-kr"),
        ("iso-8859-15", "iso-8859-15"),
        ("utf-7", None),
        ("base64", None),
        ("rot13", None),
        ("idna", None),
        ("unicode_escape", None),
        ("undefined", None),
        ("", None),
        ("a" * 10_000, None),
        ("x\0y", None),
        ("../../etc/passwd", None),
        ("é", None),
    ],
)
def test_labels(label: str, name: str | None) -> None:
    assert find_encoding(label) == name


@pytest.mark.parametrize("label", sorted({*encodings.aliases.aliases, *encodings.aliases.aliases.values()}))
def test_no_label_python_knows_makes_a_page_raise(label: str) -> None:
    body = bytes(range(256)) * 3 + b"<a href='/?q=&#x4e2d;\xe9'>x</a>"
    name = find_encoding(label)
    if name is not None:
        decode(body, name)
        encode("é中\U0001f600", name)
    HtmlParser().parse(Document("http://e.org/", body, f"text/html; charset={label}"))


@pytest.mark.parametrize(
    ("encoding", "content_type"),
    [
        ("utf-8", "text/html"),
        ("utf-8-sig", "text/html; charset=koi8-r"),
        ("utf-16", "text/html"),
        ("iso-8859-1", "text/html; charset=iso-8859-1"),
        ("windows-1252", "text/html"),
        ("utf-16-be", "text/html; charset=utf-16be"),
    ],
)
def test_pages_are_read_in_their_encoding(encoding: str, content_type: str) -> None:
    body = "<title>Été</title><div ROLE=navigation><a href=/x>façon</a></div>".encode(encoding)
    result = HtmlParser().parse(Document("http://e.org/", body, content_type))
    assert result.title == "Été"
    assert result.text == "façon"
    assert [(link.url, link.anchor, link.area.name) for link in result.links] == [
        ("http://e.org/x", "façon", "NAV")
    ]
