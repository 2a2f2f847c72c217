"""Text of a page in lines: blocks begin and end a line, the rest is words parted by single blanks."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

from selectolax.lexbor import LexborNode

from hyphe_core.parsers import tree

_BLANKS = re.compile(r"[ \t\n\x0b\f\r]{2,}|[\t\n\x0b\f\r]")
_CONTROLS_AND_SPACE = "".join(map(chr, range(33)))
_RAW = frozenset({tree.SCRIPT, tree.STYLE})
# Elements whose content the parser leaves as text, markup and all.
_UNPARSED = frozenset(map(tree.tag_id, ("iframe", "noframes", "noembed")))
_MARKUP = re.compile(r"<[^<>]*>")


def walk_all(root: LexborNode) -> Iterator[LexborNode]:
    """All nodes of a tree in document order, blank text and the content of `template` elements included."""
    waiting: list[Iterator[LexborNode]] = [root.traverse(include_text=True)]
    while waiting:
        for node in waiting[-1]:
            yield node
            if node.tag_id == tree.TEMPLATE:
                fragments = node.template_fragments()[:1]
                if fragments:
                    # Unlike an element, a fragment is not among the nodes of its walk.
                    waiting.append(fragments[0].traverse(include_text=True))
                    break
        else:
            waiting.pop()


class LineText:
    """Builds a text node by node. `separators` holds the tag ids of elements that begin and end a line."""

    __slots__ = ("_is_unparsed", "_pieces", "_raw", "_separators")

    def __init__(self, separators: frozenset[int]) -> None:
        self._separators = separators
        self._pieces: list[str] = []
        self._raw = False
        self._is_unparsed = False

    def add(self, node: LexborNode) -> None:
        """Take the next node in document order: its own text, or the line that begins with or before it."""
        tag = node.tag_id
        separators = self._separators
        if tag in separators:
            self.break_line()
        else:
            previous = node.prev
            if previous is not None and previous.tag_id in separators:
                self.break_line()
        if tag == tree.TEXT:
            if self._raw:
                self._raw = False
            elif self._is_unparsed:
                self._is_unparsed = False
                self._add_text(_MARKUP.sub(" ", node.text_content or ""))
            else:
                self._add_text(node.text_content or "")
        else:
            self.open(node)

    def open(self, node: LexborNode) -> None:
        """Take note of an element: what follows a script with content is that content, one text."""
        tag = node.tag_id
        self._raw = tag in _RAW and node.first_child is not None
        self._is_unparsed = tag in _UNPARSED and node.first_child is not None

    def _add_text(self, text: str) -> None:
        text = trim(text)
        if not text:
            self.break_line()
            return
        # Of all white space the blank alone is printable.
        if not text.isprintable() or "  " in text:
            text = _BLANKS.sub(" ", text)
        pieces = self._pieces
        if pieces and pieces[-1] != "\n":
            pieces.append(" ")
        pieces.append(text)

    def break_line(self) -> None:
        """Begin a line, unless the text has just begun one."""
        if self._pieces and self._pieces[-1] != "\n":
            self._pieces.append("\n")

    @property
    def text(self) -> str:
        """What was taken so far."""
        return "".join(self._pieces)


def trim(text: str) -> str:
    """The text without the blanks and controls of ASCII at its ends; other blanks are content."""
    return text.strip(_CONTROLS_AND_SPACE)


def text_below(nodes: Iterable[LexborNode], separators: frozenset[int]) -> str:
    """Text of an element, given its own nodes in document order, itself first; up to a second `a`."""
    text = LineText(separators)
    n_links = 0
    for index, node in enumerate(nodes):
        if node.tag_id == tree.A:
            n_links += 1
            if n_links > 1:
                break
        if index:
            text.add(node)
        else:
            text.open(node)
    return text.text
