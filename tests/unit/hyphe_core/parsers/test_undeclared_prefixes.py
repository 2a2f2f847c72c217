"""Documents that use well-known prefixes without declaring them are read as if they did."""

from __future__ import annotations

import pytest

from hyphe_core.parsers.base import Document
from hyphe_core.parsers.undeclared_prefixes import declare_prefixes
from hyphe_core.parsers.well_formed import NotWellFormed, parse_well_formed

DC = ' xmlns:dc="http://purl.org/dc/elements/1.1/"'
XLINK = ' xmlns:xlink="http://www.w3.org/1999/xlink"'


@pytest.mark.parametrize(
    ("text", "declared"),
    [
        ("<a><dc:b/></a>", f"<a{DC}><dc:b/></a>"),
        ('<a c="d"><b xlink:href="x"/></a>', f'<a{XLINK} c="d"><b xlink:href="x"/></a>'),
        (
            "<!-- <x> --><?p <y>?><!DOCTYPE a [<!ENTITY e '<z>'>]><a><dc:b/></a>",
            f"<!-- <x> --><?p <y>?><!DOCTYPE a [<!ENTITY e '<z>'>]><a{DC}><dc:b/></a>",
        ),
        ("<dc:a/>", f"<dc:a{DC}/>"),
        (f"<a{DC}><dc:b/></a>", f"<a{DC}><dc:b/></a>"),
        ("<a><foo:b/>dc:c</a>", "<a><foo:b/>dc:c</a>"),
        ("dc:a <!-- <a>", "dc:a <!-- <a>"),
        ("", ""),
    ],
    ids=range(8),
)
def test_declarations_are_added_to_the_root(text: str, declared: str) -> None:
    assert declare_prefixes(text) == declared


def test_such_a_document_is_no_recovered_one() -> None:
    document = Document("http://e.org/", b"<a><dc:creator>x</dc:creator><p>y</p></a>", "text/xml")
    with pytest.raises(NotWellFormed):
        parse_well_formed(document, strict=True)
    found = parse_well_formed(document, strict=False)
    assert (found.root.findtext("{http://purl.org/dc/elements/1.1/}creator"), found.recovered) == ("x", False)
    assert "repaired" in found.warnings[0]


def test_parts_of_a_recovered_document_are_in_their_namespaces() -> None:
    found = parse_well_formed(
        Document("http://e.org/", b"<a><dc:b>x</dc:b><foo:c/>", "text/xml"), strict=False
    )
    assert (found.root.findtext("{http://purl.org/dc/elements/1.1/}b"), found.recovered) == ("x", True)
