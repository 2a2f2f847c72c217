"""The few facts of the HTML tree that page work needs, as plain integers: which tags hide, glue or separate text."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from itertools import islice

from selectolax.lexbor import LexborHTMLParser, LexborNode

from memory_structure.records import Area


def _tag_id(name: str) -> int:
    return LexborHTMLParser("").create_node(name).tag_id


def _text_id() -> int:
    body = LexborHTMLParser("x").body
    assert body is not None
    assert body.first_child is not None
    return body.first_child.tag_id


def _comment_id() -> int:
    body = LexborHTMLParser("<body><!--x-->").body
    assert body is not None
    assert body.first_child is not None
    return body.first_child.tag_id


TEXT = _text_id()
A = _tag_id("a")
AREA = _tag_id("area")
BASE = _tag_id("base")
FRAME = _tag_id("frame")
HTML = _tag_id("html")
IFRAME = _tag_id("iframe")
IMG = _tag_id("img")
LINK = _tag_id("link")
META = _tag_id("meta")
NOSCRIPT = _tag_id("noscript")
SVG = _tag_id("svg")
TITLE = _tag_id("title")

# Elements inside a line of text: the words on both sides of their borders touch.
INLINE = frozenset(
    {_comment_id()}
    | {
        _tag_id(name)
        for name in (
            "a abbr acronym b bdi bdo big cite code data del dfn em font i ins kbd mark nobr q rb rp rt ruby s samp"
            " small span strike strong sub sup time tt u var wbr"
        ).split()
    }
)
# Elements whose content is not shown (without scripting `noscript` is, but it repeats or complains).
HIDDEN = frozenset(
    _tag_id(name) for name in "script style noscript template title iframe noframes noembed".split()
)

LANDMARKS = {
    _tag_id("nav"): Area.NAV,
    _tag_id("header"): Area.HEADER,
    _tag_id("footer"): Area.FOOTER,
    _tag_id("aside"): Area.ASIDE,
    _tag_id("main"): Area.MAIN,
}
ROLES = {
    "navigation": Area.NAV,
    "banner": Area.HEADER,
    "contentinfo": Area.FOOTER,
    "complementary": Area.ASIDE,
    "main": Area.MAIN,
}
# Adjacent words are searched for a common block no higher than this: hostile nesting must not cost its square.
_MAX_INLINE_DEPTH = 32

Handler = Callable[[LexborNode], None]


def gather_text(nodes: Iterator[LexborNode], handlers: Mapping[int, Handler]) -> str:
    """Visible text of nodes in document order (elements, text, comments), blanks not folded.

    Borders of blocks become a blank; words on both sides of inline borders stay together. `handlers` are called with
    each node of their tag id. Subtrees of hidden elements are left out, their top is still handled.
    """
    pieces: list[str] = []
    append = pieces.append
    handler_of = handlers.get
    open_word: LexborNode | None = None
    for node in nodes:
        tag = node.tag_id
        if tag == TEXT:
            text = node.text_content
            if not text:
                continue
            if open_word is not None and text[0] > " " and not _touch(open_word, node):
                append(" ")
            append(text)
            open_word = node if text[-1] > " " else None
            continue
        handler = handler_of(tag)
        if handler is not None:
            handler(node)
        if tag not in INLINE:
            append(" ")
            open_word = None
            if tag in HIDDEN and node.first_child is not None:
                _skip_descendants(nodes, node)
    return "".join(pieces)


def _skip_descendants(nodes: Iterator[LexborNode], node: LexborNode) -> None:
    """Move an iterator that has just given `node` past its whole subtree."""
    n_nodes = sum(1 for _ in node.traverse(include_text=True)) - 1
    next(islice(nodes, n_nodes, n_nodes), None)


def _touch(first: LexborNode, second: LexborNode) -> bool:
    """Whether two text nodes with only inline borders between them read as one word: same block, not two links."""
    first_block, first_link = _surroundings(first)
    second_block, second_link = _surroundings(second)
    if first_block != second_block or first_block == 0:
        return False
    return first_link == second_link or not (first_link and second_link)


def _surroundings(node: LexborNode) -> tuple[int, int]:
    """(memory id of the nearest block ancestor, of the link on the way there); 0 for none found."""
    link = 0
    for _ in range(_MAX_INLINE_DEPTH):
        parent = node.parent
        if parent is None:
            return 0, link
        tag = parent.tag_id
        if tag not in INLINE:
            return parent.mem_id, link
        if tag == A:
            link = parent.mem_id
        node = parent
    return 0, link


class AreaFinder:
    """Finds the area of elements of one tree. Each ancestor is looked at once, whatever the number of links.

    `with_roles`: look for ARIA roles too (dear: one dictionary an element), pointless when no `role` is in the page.
    """

    __slots__ = ("_memo", "_with_roles")

    def __init__(self, with_roles: bool) -> None:
        self._memo: dict[int, Area] = {}
        self._with_roles = with_roles

    def area_of(self, node: LexborNode) -> Area:
        """Area of the nearest landmark ancestor, MAIN without one. The tree must not change between calls."""
        memo = self._memo
        passed: list[int] = []
        area: Area | None = None
        ancestor = node.parent
        while ancestor is not None:
            key = ancestor.mem_id
            area = memo.get(key)
            if area is None:
                area = self._own_area(ancestor)
                passed.append(key)
            if area is not None:
                break
            ancestor = ancestor.parent
        found = Area.MAIN if area is None else area
        for key in passed:
            memo[key] = found
        return found

    def _own_area(self, node: LexborNode) -> Area | None:
        """Area that the element itself opens: its role's, else its tag's."""
        if self._with_roles:
            for role in (node.attributes.get("role") or "").lower().split():
                if role in ROLES:
                    return ROLES[role]
        return LANDMARKS.get(node.tag_id)
