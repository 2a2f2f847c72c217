"""XML made a tree: strictly, leniently, and never by way of a file or a host."""

from __future__ import annotations

import contextlib
from pathlib import Path

import pytest
from lxml import etree

from hyphe_core.parsers.base import Document, ParseMinor
from hyphe_core.parsers.encoding import EncodingSource
from hyphe_core.parsers.well_formed import NotWellFormed, WellFormed, parse_well_formed, reencode, scrub

BOMB = (
    b'<!DOCTYPE a [<!ENTITY e0 "xxxxxxxxxx">'
    + b"".join(b'<!ENTITY e%d "%s">' % (n, b"&e%d;" % (n - 1) * 10) for n in range(1, 10))
    + b"]>"
)


def read(body: bytes, content_type: str | None = None, *, strict: bool = True) -> WellFormed:
    return parse_well_formed(Document("http://e.org/d/x.xml", body, content_type), strict=strict)


def text_of(body: bytes, content_type: str | None = None, *, strict: bool = True) -> str:
    return "".join(read(body, content_type, strict=strict).root.itertext())


@pytest.mark.parametrize(
    ("body", "content_type", "text", "encoding", "source"),
    [
        (b"<a>e</a>", None, "e", "utf-8", EncodingSource.ASCII),
        ("<a>é</a>".encode(), None, "é", "utf-8", EncodingSource.VALID_UTF8),
        (b'<?xml version="1.0" encoding="windows-1252"?><a>\x93</a>', None, "\u201c", "windows-1252", "xml"),
        (b"<a>\xe9</a>", "text/xml; charset=iso-8859-1", "é", "windows-1252", EncodingSource.HEADER),
        ("<a>é</a>".encode("utf-16"), None, "é", "utf-16", EncodingSource.BOM),
        ("<a>é</a>".encode("utf-8-sig"), "text/xml; charset=iso-8859-1", "é", "utf-8", EncodingSource.BOM),
        ('<?xml version="1.0" encoding="utf-16"?><a>é</a>'.encode("utf-16-be"), None, "é", "utf-16be", "xml"),
        (b'<?xml version="1.0" encoding="x-sjis"?><a>\x93\xfa</a>', None, "\u65e5", "shift_jis", "xml"),
        (b'<?xml version="1.0" encoding="windows-31j"?><a>\x87\x40</a>', None, "\u2460", "shift_jis", "xml"),
        (b"<?xml version='1.0' encoding='x-mac-roman'?><a>\x8e</a>", None, "\xe9", "macintosh", "xml"),
        (b"<a>\xe9</a>", "text/xml; charset=x-unknown", "\ufffd", "", ""),
    ],
)
def test_encodings(body: bytes, content_type: str | None, text: str, encoding: str, source: str) -> None:
    if not encoding:
        with pytest.raises(NotWellFormed):
            read(body, content_type)
        return
    found = read(body, content_type)
    assert ("".join(found.root.itertext()), found.encoding, found.encoding_source) == (text, encoding, source)


def test_a_header_that_lies_gives_way_to_the_document() -> None:
    found = read(b'<?xml version="1.0" encoding="iso-8859-1"?><a>\xe9</a>', "text/xml; charset=utf-8")
    assert found.root.text == "é"
    assert found.warnings == ("not in the encoding of the header, utf-8",)


@pytest.mark.parametrize(
    ("body", "strict_text"),
    [
        (b'<!DOCTYPE a [<!ENTITY e "in&amp;side">]><a>x&e;y</a>', "xin&sidey"),
        (b'<!DOCTYPE a [<!ENTITY e "<b>in</b>">]><a>x&e;y</a>', "xiny"),
        (b'<!DOCTYPE a [<!ENTITY e SYSTEM "SECRET">]><a>x&e;y</a>', "xy"),
        (b'<!DOCTYPE a [<!ENTITY e PUBLIC "p" "SECRET"><!ENTITY i "ii">]><a>x&e;<b/>&i;y</a>', "xiiy"),
        (b'<!DOCTYPE a SYSTEM "SECRET"><a>x&eacute;<b>&nbsp;</b>&unknown;y</a>', "xé\xa0y"),
        (b'<!DOCTYPE a [<!ENTITY u "used nowhere">]><a>x</a>', "x"),
        (BOMB + b"<a>x</a>", "x"),
        (b'<a xmlns:xi="http://www.w3.org/2001/XInclude"><xi:include href="SECRET" parse="text"/></a>', ""),
    ],
)
@pytest.mark.parametrize("strict", [True, False])
def test_entities(body: bytes, strict_text: str, strict: bool, tmp_path: Path) -> None:
    secret = tmp_path / "secret.txt"
    secret.write_text("<!ENTITY unknown 'what nobody may read'>what nobody may read")
    assert text_of(body.replace(b"SECRET", secret.as_uri().encode()), strict=strict) == strict_text


@pytest.mark.parametrize("strict", [True, False])
@pytest.mark.parametrize(
    "body",
    [
        BOMB + b"<a>&e9;</a>",
        BOMB + b'<a b="&e9;"/>',
        b'<!DOCTYPE a [<!ENTITY % p SYSTEM "file:///etc/hostname">%p;]><a/>',
        b'<!DOCTYPE a [<!ENTITY e "' + b"x" * 70_000 + b'">]><a>&e;</a>',
        b'<!DOCTYPE a [<!ENTITY e SYSTEM "s">]><a>' + b"&e;" * 100_001 + b"</a>",
    ],
    ids=["bomb", "bomb-in-attribute", "parameter", "long", "many"],
)
def test_dangerous_entities_are_refused(body: bytes, strict: bool) -> None:
    with pytest.raises(NotWellFormed) as raised:
        read(body, strict=strict)
    assert raised.value.status.minor is ParseMinor.INVALID_FORMAT
    assert "/etc" not in raised.value.status.message


@pytest.mark.parametrize(
    ("body", "minor"),
    [
        (b"", ParseMinor.MISSING_CONTENT),
        (b" \n", ParseMinor.MISSING_CONTENT),
        (b"<a>" * 257 + b"</a>" * 257, ParseMinor.INVALID_FORMAT),
        (b"<a>" + b"<b/>" * 1_000_001 + b"</a>", ParseMinor.EXCEPTION),
        (b"<a " + b" ".join(b'b%d=""' % n for n in range(10_001)) + b"/>", ParseMinor.EXCEPTION),
        (b"<a>" + b"x" * 10_000_002 + b"</a>", ParseMinor.INVALID_FORMAT),
        (b" " * (16 * 2**20 + 1), ParseMinor.EXCEPTION),
        (b"<a>\x00</a>", ParseMinor.INVALID_FORMAT),
        (b"{}", ParseMinor.INVALID_FORMAT),
    ],
    ids=["empty", "blank", "deep", "nodes", "attributes", "text", "bytes", "nul", "json"],
)
def test_limits(body: bytes, minor: ParseMinor) -> None:
    with pytest.raises(NotWellFormed) as raised:
        read(body)
    assert raised.value.status.minor is minor


def test_just_within_the_limits() -> None:
    assert read(b"<a>" * 256 + b"</a>" * 256).root.tag == "a"
    assert len(read(b"<a>" + b"<b/>" * 999_998 + b"</a>").root) == 999_998


@pytest.mark.parametrize(
    ("body", "text", "recovered"),
    [
        (b"\n <?xml version='1.0' encoding='utf-8'?><a>x</a>", "x", False),
        (b"<a>x&nbsp;y &amp; z</a>", "x\xa0y & z", False),
        (b"<a>this & that &foo; &#1;&#x26;</a>", "this & that &foo; &", False),
        (b"<a>\x0bx\x00y<![CDATA[ & ]]><!-- & --></a>", "xy & ", False),
        (b'<?xml version="1.0" encoding="utf-8"?><a>\xe9t\xe9</a>', "\ufffdt\ufffd", False),
        (b"<a><b>x</a>", "x", True),
        (b"<a>x</a>junk", "x", True),
        (b"<a><p:b>x</p:b></a>", "x", True),
    ],
)
def test_lenient_reading(body: bytes, text: str, recovered: bool) -> None:
    with pytest.raises(NotWellFormed):
        read(body)
    found = read(body, strict=False)
    assert ("".join(found.root.itertext(etree.Element)), found.recovered) == (text, recovered)
    assert found.warnings


@pytest.mark.parametrize(
    "piece", [b"<!--", b"<![CDATA[", b"<?", b"&", b"&#", b"<a b='&", b"]]>", b"<!ENTITY ", b"\x01"]
)
def test_no_repair_takes_long(piece: bytes) -> None:
    with contextlib.suppress(NotWellFormed):
        read(b"<a>" + piece * (1_000_000 // len(piece)), strict=False)


def test_bases_of_parts() -> None:
    found = read(
        b'<a xml:base="/r/"><b href="1"/><c xml:base="s/">'
        b'<d href="2"/><e xml:base="http://o.org/" src="3"/></c></a>'
    )
    assert found.base == "http://e.org/r/"
    assert [e.get("href") or e.get("src") for e in found.root.iter("b", "d", "e")] == [
        "1",
        "http://e.org/r/s/2",
        "http://o.org/3",
    ]


def test_copy_in_utf8_keeps_the_document() -> None:
    body = (
        '<?xml version="1.0" encoding="ISO-8859-1"?><!DOCTYPE a PUBLIC "-//P//EN" "a.dtd"><?p x?>'
        '<a xmlns:x="urn:x"><b x:y="é">é</b><!--c--></a>'
    ).encode("latin-1")
    copy = reencode(Document("http://e.org/", body))
    assert copy.startswith(b'<?xml version="1.0" encoding="UTF-8"?>\n<!DOCTYPE a PUBLIC "-//P//EN" "a.dtd">')
    assert "<?p x?>" in copy.decode()
    assert '<b x:y="é">é</b><!--c-->' in copy.decode()


@pytest.mark.parametrize(
    ("declared", "kept"),
    [(b' standalone="yes"', b' standalone="yes"'), (b' standalone="no"', b""), (b"", b"")],
)
def test_a_copy_stands_alone_as_its_document(declared: bytes, kept: bytes) -> None:
    copy = reencode(Document("http://e.org/", b'<?xml version="1.0"' + declared + b"?><a/>"))
    assert copy == b'<?xml version="1.0" encoding="UTF-8"' + kept + b"?>\n<a/>"


def test_messages_name_no_files() -> None:
    assert scrub("cannot load /srv/secret/a.xml or file:///etc/passwd\nnow") == "cannot load ... or ... now"


def test_messages_with_names_of_any_length_are_scrubbed() -> None:
    assert scrub("a" * 1_000_000) == "a" * 300
    assert scrub("file /etc/passwd " + "a" * 1_000_000).startswith("file ... aaa")


def test_bases_over_the_limit_do_not_count() -> None:
    long = b"http://f.org/" + b"a" * 5000 + b"/"
    inner = b'<a xml:base="' + b"b/" * 2000 + b'"><c xml:base="' + b"c/" * 2000 + b'" href="x"/></a>'
    for body in (b'<r xml:base="' + long + b'"><c href="x"/></r>', inner):
        read = parse_well_formed(Document("http://e.org/", body), strict=True)
        assert len(read.base) <= 4096
        assert all(len(element.get("href", "")) <= 4200 for element in read.root.iter())
