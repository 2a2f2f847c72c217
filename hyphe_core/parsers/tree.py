"""Reading the HTML tree: visible text, anchors, and the area of the page an element stands in."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from enum import Enum
from itertools import islice

from selectolax.lexbor import LexborHTMLParser, LexborNode

from memory_structure.records import Area


def tag_id(name: str) -> int:
    """The parser's number of an element's name."""
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
A = tag_id("a")
AREA = tag_id("area")
BASE = tag_id("base")
BODY = tag_id("body")
FRAME = tag_id("frame")
HTML = tag_id("html")
IFRAME = tag_id("iframe")
IMG = tag_id("img")
LINK = tag_id("link")
META = tag_id("meta")
NOSCRIPT = tag_id("noscript")
SCRIPT = tag_id("script")
STYLE = tag_id("style")
SVG = tag_id("svg")
TEMPLATE = tag_id("template")
TITLE = tag_id("title")

# Elements inside a line of text: the words on both sides of their borders touch.
INLINE = frozenset(
    {_comment_id()}
    | {
        tag_id(name)
        for name in (
            "a abbr acronym b bdi bdo big cite code data del dfn em font i ins kbd mark nobr q rb rp rt ruby"
            " s samp small span strike strong sub sup time tt u var wbr"
        ).split()
    }
)
# Elements whose content is not shown (without scripting `noscript` is, but it repeats or complains).
HIDDEN = frozenset(
    tag_id(name) for name in "script style noscript template title iframe noframes noembed".split()
)

LANDMARKS = {
    tag_id("nav"): Area.NAV,
    tag_id("header"): Area.HEADER,
    tag_id("footer"): Area.FOOTER,
    tag_id("aside"): Area.ASIDE,
    tag_id("main"): Area.MAIN,
}
ROLES = {
    "navigation": Area.NAV,
    "banner": Area.HEADER,
    "contentinfo": Area.FOOTER,
    "complementary": Area.ASIDE,
    "main": Area.MAIN,
}
# Of a text in an anchor: one text may stand in hundreds of links that are nested in each other.
_MAX_PIECE_CHARACTERS = 4096
# White space besides the blank: ASCII and no-break.
_SPACES = "\n\t\r\f\v\xa0"

Handler = Callable[[LexborNode], None]


class _Effect(Enum):
    """What a tag does in the text. Any that is not named separates words."""

    NONE = 0
    HIDES = 1
    IS_HANDLED = 2


_EFFECTS = dict.fromkeys(INLINE, _Effect.NONE) | dict.fromkeys(HIDDEN, _Effect.HIDES)


def gather_text(nodes: Iterator[LexborNode], handlers: Mapping[int, Handler]) -> str:
    """Visible text of nodes in document order (elements, text, comments), its white space folded.

    Text nodes of white space alone may be left out of `nodes`: they are looked for when that matters.
    Borders of blocks become a blank; words on both sides of inline borders stay together. `handlers` are
    called with each node of their tag id. Subtrees of hidden elements are left out, their top is still
    handled.
    """
    pieces: list[str] = []
    append = pieces.append
    effect_of = (_EFFECTS | dict.fromkeys(handlers, _Effect.IS_HANDLED)).get
    no_effect, is_handled = _Effect.NONE, _Effect.IS_HANDLED
    blank = True
    last = " "
    previous: LexborNode | None = None
    for node in nodes:
        tag = node.tag_id
        if tag == TEXT:
            text = node.text_content or " "
            # Words that touch are looked at closely; where white space stands, folding does the rest.
            if blank or not (text[0] <= " " or last <= " " or _touch(previous, node)):
                append(" ")
                blank = False
            append(text)
            last = text[-1]
            previous = node
            continue
        effect = effect_of(tag)
        if effect is no_effect:
            continue
        if effect is is_handled:
            handlers[tag](node)
            if tag in INLINE:
                continue
        blank = True
        if tag in HIDDEN and node.first_child is not None:
            _skip_descendants(nodes, walk(node))
    return _fold_inside("".join(pieces))


def _fold_inside(text: str) -> str:
    """Fold a text. Few kinds of white space are in it: each is replaced as a whole, without cutting words."""
    for space in _SPACES:
        if space in text:
            text = text.replace(space, " ")
    while "  " in text:
        text = text.replace("  ", " ")
    return text.strip()


def gather_anchor(link: LexborNode, max_nodes: int) -> str:
    """Text of a link, else the alternative text of its first image that has one; white space folded.

    At most `max_nodes` nodes are read, since links can be nested thousands deep by way of `object`. With a
    block inside, every border of text is a blank; without, none is.
    """
    child = link.first_child
    while (
        child is not None and child.next is None
    ):  # the usual case: a single text, perhaps in a single element
        tag = child.tag_id
        if tag == TEXT:
            return fold((child.text_content or "")[:_MAX_PIECE_CHARACTERS])
        if tag in HIDDEN or tag == IMG:
            break
        child = child.first_child
    return "" if child is None else _gather_mixed_anchor(link, max_nodes)


def _gather_mixed_anchor(link: LexborNode, max_nodes: int) -> str:
    pieces: list[str] = []
    separator = ""
    alt = ""
    nodes = islice(link.traverse(include_text=True), 1, max_nodes)
    for node in nodes:
        tag = node.tag_id
        if tag == TEXT:
            pieces.append((node.text_content or "")[:_MAX_PIECE_CHARACTERS])
        elif tag == IMG:
            alt = alt or fold(node.attributes.get("alt") or "")
        elif tag in HIDDEN:
            _skip_descendants(nodes, node.traverse(include_text=True))
        elif tag not in INLINE:
            separator = " "
    return fold(separator.join(pieces)) or alt


def fold(text: str) -> str:
    """The text with each run of white space as one blank, none at the ends."""
    # Of all white space the blank alone is printable: most short texts need no cutting.
    if text.isprintable() and "  " not in text:
        return text.strip()
    return " ".join(text.split())


def walk(root: LexborNode) -> Iterator[LexborNode]:
    """All nodes of a tree in document order, text of white space alone left out."""
    return root.traverse(include_text=True, skip_empty=True)


def _skip_descendants(nodes: Iterator[LexborNode], walk_below: Iterator[LexborNode]) -> None:
    """Move an iterator that has just given a node past its subtree, which `walk_below` walks likewise."""
    n_nodes = sum(1 for _ in walk_below) - 1
    next(islice(nodes, n_nodes, n_nodes), None)


def _touch(first: LexborNode | None, second: LexborNode) -> bool:
    """Whether two text nodes, with no block opened between them, read on without a blank.

    Walks from one to the other: a block that closes, a text of white space, or a link that closes before
    another opens keep them apart.
    """
    if first is None:
        return False
    closed_link = opened_link = False
    target = second.mem_id
    node = first
    while True:
        following = node.first_child if node is not first else None
        while following is None:
            following = node.next
            if following is None:
                parent = node.parent
                if parent is None or parent.tag_id not in INLINE:
                    return False
                closed_link = closed_link or parent.tag_id == A
                node = parent
        node = following
        tag = node.tag_id
        if tag == TEXT:
            return node.mem_id == target and not (closed_link and opened_link)
        opened_link = opened_link or tag == A


class AreaFinder:
    """Finds the area of elements of one tree. Each ancestor is looked at once, whatever the number of links.

    `with_roles`: look for ARIA roles too. That is dear (one dictionary an element) and pointless when no
    `role` is in the page.
    """

    __slots__ = ("_memo", "_with_roles")

    def __init__(self, with_roles: bool) -> None:
        self._memo: dict[int, Area] = {}
        self._with_roles = with_roles

    def area_of(self, node: LexborNode) -> Area:
        """Area of the nearest landmark ancestor, MAIN without one. The tree must not change between calls."""
        memo = self._memo
        ancestor = node.parent
        if ancestor is None:
            return Area.MAIN
        key = ancestor.mem_id
        if key in memo:
            return memo[key]
        passed: list[int] = []
        area = None
        while ancestor is not None:
            key = ancestor.mem_id
            area = memo.get(key)
            if area is None:
                passed.append(key)
                area = self._role_area(ancestor) if self._with_roles else LANDMARKS.get(ancestor.tag_id)
            if area is not None:
                break
            ancestor = ancestor.parent
        found = Area.MAIN if area is None else area
        for key in passed:
            memo[key] = found
        return found

    @staticmethod
    def _role_area(node: LexborNode) -> Area | None:
        """Area that an element opens: its role's, else its tag's."""
        for role in (node.attributes.get("role") or "").lower().split():
            if role in ROLES:
                return ROLES[role]
        return LANDMARKS.get(node.tag_id)
