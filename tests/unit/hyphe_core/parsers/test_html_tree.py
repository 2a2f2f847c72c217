"""Pages of HTML as trees of XML keep their text and their links."""

from __future__ import annotations

import pytest
from lxml import etree

from hyphe_core.parsers import html_tree
from hyphe_core.parsers.base import Document
from hyphe_core.parsers.html_tree import html_as_xml

_IN_HTML = {"h": html_tree.XHTML_NAMESPACE}


def tree_of(body: bytes) -> etree._Element:
    return html_as_xml(Document("http://e.org/", body, "text/html; charset=utf-8")).root


def test_elements_that_xml_does_not_allow_leave_their_content() -> None:
    root = tree_of(b"<p>a<o:p>b<a href=/c>c</a></o:p>d</p><x@y>e<b>f</b></x@y><!-- no --><p>g")
    assert "".join(root.itertext()) == "abcdefg"
    assert [link.get("href") for link in root.iterfind(".//h:p/h:a", _IN_HTML)] == ["/c"]
    assert root.find(".//h:b", _IN_HTML) is not None


def test_of_very_many_elements_text_and_attributes_are_kept(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(html_tree, "MAX_ELEMENTS", 50)
    page = html_as_xml(Document("http://e.org/", b"<p>x <b>y</b><a href=/z>z</a></p>" * 40, "text/html"))
    text = "".join(page.root.itertext())
    assert "".join(text.split()) == "xyz" * 40
    assert (text.count("zx"), text.count("z x")) == (15, 24)  # a blank stands for a paragraph dropped
    assert len(page.root.findall(".//h:a", _IN_HTML)) == 40
    assert page.warnings[-1].startswith("more than 50 elements")
    assert html_as_xml(Document("http://e.org/", b"<p>x" * 40, "text/html")).warnings == ()
