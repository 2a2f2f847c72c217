"""HTML as a tree of XML: pages are read by the HTML5 parser and rebuilt in the namespace of XHTML."""

from __future__ import annotations

import re
from typing import Any, Final

from lxml import etree
from selectolax.lexbor import LexborHTMLParser, LexborNode, SelectolaxError

from hyphe_core.parsers import tree
from hyphe_core.parsers.base import MAX_BASE_CHARACTERS, Document, ParseMinor, failed
from hyphe_core.parsers.defusing import defuse
from hyphe_core.parsers.encoding import decode, detect_encoding
from hyphe_core.parsers.well_formed import NotWellFormed, WellFormed
from memory_structure.urls import join_url

XHTML_NAMESPACE: Final = "http://www.w3.org/1999/xhtml"
# Deeper elements become siblings: a stylesheet works through a tree recursively.
MAX_DEPTH: Final = 200
# Of those that come later the ones without attributes leave their content to their parent.
MAX_ELEMENTS: Final = 100_000
_NAME: Final = re.compile(r"[A-Za-z_][A-Za-z0-9_.-]*")
_ILLEGAL: Final = re.compile("[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")
_NAMESPACES: Final[Any] = {None: XHTML_NAMESPACE}  # the stubs know names of prefixes only
_TAG: Final = f"{{{XHTML_NAMESPACE}}}"


def html_as_xml(document: Document) -> WellFormed:
    """The page as a tree, without the attributes that XML does not allow; an element that it does not allow
    leaves its content to its parent. Raises NotWellFormed."""
    encoding = detect_encoding(document.body, document.content_type)
    markup, warning = defuse(decode(document.body, encoding.name).encode("utf-8", "replace"))
    try:
        root = LexborHTMLParser(markup).root
    except (SelectolaxError, RuntimeError):
        root = None
    if root is None:
        raise NotWellFormed(failed(ParseMinor.INVALID_FORMAT, "unreadable HTML"))
    built, is_whole = _build(root)
    cut = "" if is_whole else f"more than {MAX_ELEMENTS} elements: those without attributes are dropped"
    base = next((found for e in built.iter(_TAG + "base") if (found := e.get("href")) is not None), "")
    base = base if len(base) <= MAX_BASE_CHARACTERS else ""
    warnings = tuple(filter(None, (encoding.warning, warning, cut)))
    return WellFormed(built, join_url(document.url, base), encoding.name, encoding.source, warnings=warnings)


def _build(root: LexborNode) -> tuple[etree._Element, bool]:
    """(the tree below a node, whether it has all elements), without recursion."""
    built = etree.Element(_TAG + (root.tag or "div"), nsmap=_NAMESPACES)
    _set_attributes(built, root)
    stack = [(root.child, built, 1)]
    text = _Text()
    names = _Names()
    n_left = MAX_ELEMENTS
    while stack:
        node, parent, depth = stack.pop()
        while node is not None:
            if node.tag_id == tree.TEXT:
                text.add(parent, _ILLEGAL.sub("", node.text_content or ""))
                node = node.next
                continue
            inner, element = node.child, parent
            if name := names[node.tag]:
                if n_left > 0 or node.attributes:
                    n_left -= 1
                    text.write()
                    element = etree.SubElement(parent, name)
                    _set_attributes(element, node)
                else:
                    n_left = -1
                    text.add(parent, " ")
            if inner is None:
                node = node.next
                continue
            # The siblings that follow come after everything below this node.
            stack.append((node.next, parent, depth))
            deep = depth >= MAX_DEPTH
            node, parent, depth = inner, parent if deep else element, depth if deep else depth + 1
    text.write()
    return built, n_left >= 0


def _set_attributes(element: etree._Element, node: LexborNode) -> None:
    for name, value in node.attributes.items():
        if _NAME.fullmatch(name):
            element.set(name, _ILLEGAL.sub("", value or ""))


class _Names(dict[str | None, str]):
    """The name of an element in XML by its tag; "" for tags that XML does not allow."""

    def __missing__(self, tag: str | None) -> str:
        name = self[tag] = _TAG + tag if tag and _NAME.fullmatch(tag) else ""
        return name


class _Text:
    """Text that is met in pieces, written when it is whole: behind what its parent holds by then."""

    def __init__(self) -> None:
        self._parent: etree._Element | None = None
        self._pieces: list[str] = []

    def add(self, parent: etree._Element, piece: str) -> None:
        """One more piece, in this parent."""
        if parent is not self._parent:
            self.write()
            self._parent = parent
        self._pieces.append(piece)

    def write(self) -> None:
        """Put what was added into the tree."""
        if not self._pieces or self._parent is None:
            return
        text = "".join(self._pieces)
        self._pieces.clear()
        # len() and [-1] of an element count its children.
        last = next(self._parent.iterchildren(reversed=True), None)
        if last is None:
            self._parent.text = (self._parent.text or "") + text
        else:
            last.tail = (last.tail or "") + text
