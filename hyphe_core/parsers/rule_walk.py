"""HTML by rules: one walk that gives links, text and directives as a `ParseProfile` says.

Slower than the reader of `html`, whose rules are fixed. Directives are those of the head; in the body they
mean nothing, nor in `noscript`, which is for readers without scripts.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from functools import lru_cache
from itertools import islice
from typing import NamedTuple

from selectolax.lexbor import LexborHTMLParser, LexborNode

from hyphe_core.parsers import tree
from hyphe_core.parsers.base import MAX_ANCHOR_CHARACTERS, MAX_LINKS, MAX_TEXT_CHARACTERS, Metadatum
from hyphe_core.parsers.line_text import LineText, text_below, trim, walk_all
from hyphe_core.parsers.profiles import LinkElement, ParseProfile
from hyphe_core.parsers.refresh import RefreshValue, find_reload_delay, read_refresh

MAX_METADATA = 1000
# Nodes of a link that are read for its anchor: links can be nested by way of `object`, forms by `template`.
_MAX_ANCHOR_NODES = 2000
_MAX_ANCHOR_NODES_OF_PAGE = 200_000
_NOFOLLOW = re.compile(r"(?:^|[\s,;])nofollow(?:$|[\s,;])", re.IGNORECASE)


class FoundLink(NamedTuple):
    """A link before its address is resolved. `anchor` keeps the lines of its text."""

    href: str
    anchor: str
    rel: str
    element: LinkElement
    node: LexborNode


class _Rules(NamedTuple):
    """A profile by the parser's numbers of elements."""

    elements: dict[int, LinkElement]
    separators: frozenset[int]


@lru_cache(maxsize=64)
def _rules_of(profile: ParseProfile) -> _Rules:
    return _Rules(
        {tree.tag_id(one.element): one for one in profile.link_elements},
        frozenset(map(tree.tag_id, profile.line_separators)),
    )


class RuleReader:
    """What one walk over a page's tree finds; addresses stay as written.

    `refresh_href` is "" for a page that loads itself again; `delay_seconds` is None without a refresh.
    """

    def __init__(self, profile: ParseProfile, agent_token: str) -> None:
        self._profile = profile
        self._rules = _rules_of(profile)
        self._agent_token = agent_token.lower()
        self._in_body = False
        self._text = LineText(self._rules.separators)
        self.found: list[FoundLink] = []
        self.n_links_cut = 0
        self.base_hrefs: list[str] = []
        self.title: str | None = None
        self.canonical: str | None = None
        self.robots: list[str] = []
        self.forbids_caching = False
        self.refresh_href = ""
        self.delay_seconds: float | None = None
        self.metadata: list[Metadatum] = []
        self._n_anchor_nodes_left = _MAX_ANCHOR_NODES_OF_PAGE

    def read(self, root: LexborNode) -> None:
        """Walk the whole tree once."""
        elements = self._rules.elements
        for node in walk_all(root):
            self._text.add(node)
            tag = node.tag_id
            if not self._in_body:
                self._read_head(tag, node)
            if tag in elements:
                self._read_link(elements[tag], node)
            if (
                tag == tree.IFRAME
                and (content := node.first_child) is not None
                and content.tag_id == tree.TEXT
            ):
                self._read_unparsed(content.text_content or "")

    @property
    def text(self) -> str:
        """Text of the page in lines, its title first."""
        return self._text.text[:MAX_TEXT_CHARACTERS]

    # -- the head -------------------------------------------------------
    def _read_head(self, tag: int, node: LexborNode) -> None:
        if tag == tree.BODY:
            self._in_body = True
        elif tag == tree.TITLE and self.title is None:
            self.title = trim(text_below(node.traverse(include_text=True), self._rules.separators))
        elif tag == tree.BASE:
            href = node.attributes.get("href")
            if href is not None:
                self.base_hrefs.append(href)
        elif tag == tree.LINK and self.canonical is None:
            attributes = node.attributes
            if "canonical" in (attributes.get("rel") or "").lower().split():
                self.canonical = attributes.get("href") or None
        elif tag == tree.META:
            parent = node.parent
            if parent is None or parent.tag_id not in (tree.NOSCRIPT, tree.TEMPLATE):
                self._read_meta(node.attributes)

    def _read_meta(self, attributes: dict[str, str | None]) -> None:
        content = attributes.get("content")
        if content is None:
            return
        name = (attributes.get("name") or "").strip().lower()
        if name:
            if name in ("robots", self._agent_token):
                self.robots.append(content)
            if len(self.metadata) < MAX_METADATA:
                self.metadata.append(Metadatum(f"metatag.{name}", content))
        pragma = (attributes.get("http-equiv") or "").strip().lower()
        if pragma == "pragma" and "no-cache" in content.lower():
            self.forbids_caching = True
        elif pragma == "refresh" and self.delay_seconds is None:
            self._read_refresh(content)

    def _read_refresh(self, content: str) -> None:
        value = read_refresh(content)
        if value is None:
            self.delay_seconds = find_reload_delay(content)
        else:
            self.refresh_href, self.delay_seconds = RefreshValue(*value)

    # -- links ----------------------------------------------------------
    def _read_unparsed(self, markup: str) -> None:
        """Take the links in what a frame holds for readers without frames: the parser leaves it as text."""
        root = LexborHTMLParser(markup).root if "<" in markup else None
        for node in () if root is None else root.traverse():
            if node.tag_id in self._rules.elements:
                self._read_link(self._rules.elements[node.tag_id], node)

    def _read_link(self, element: LinkElement, node: LexborNode) -> None:
        if _is_thrown_away(element, node) or self._is_repeated(node):
            return
        attributes = node.attributes
        href = attributes.get(element.attribute)
        if href is None:
            if element.attribute not in attributes:
                return
            href = ""
        rel = attributes.get("rel") or ""
        if self._profile.drops_nofollow_links and _NOFOLLOW.search(rel):
            return
        if (attributes.get("method") or "").lower() == "post":
            return
        if len(self.found) >= MAX_LINKS:
            self.n_links_cut += 1
            return
        self.found.append(FoundLink(href, self._anchor(node), rel, element, node))

    def _is_repeated(self, node: LexborNode) -> bool:
        """Whether a link is the blank rest of the one before, which its page forgot to close: the parser
        opens that anew in the next block, until the next link begins."""
        first, following = node.first_child, node.next
        if first is None or following is None or not self.found:
            return False
        return (
            node.tag_id == following.tag_id == tree.A
            and first.tag_id == tree.TEXT
            and first.next is None
            and not trim(first.text_content or "")
            and self.found[-1].node.tag_id == tree.A
            and self.found[-1].node.attributes == node.attributes
        )

    def _anchor(self, node: LexborNode) -> str:
        first = node.first_child
        if first is None:
            return self._alternative_text(node)
        if first.tag_id == tree.TEXT and first.next is None:  # the usual case
            text = text_below((node, first), self._rules.separators)
        else:
            text = text_below(self._nodes_of_anchor(walk_all(node)), self._rules.separators)
        return trim(text)[:MAX_ANCHOR_CHARACTERS] or self._alternative_text(node)

    def _alternative_text(self, node: LexborNode) -> str:
        """Alternative texts of the images in an element (itself counts) and the blank texts among them, as
        they stand, parted by blanks."""
        if node.tag_id != tree.IMG and node.first_child is None:
            return ""
        texts: list[str] = []
        for inner in self._nodes_of_anchor(node.traverse(include_text=True)):
            text = inner.text_content if inner.tag_id == tree.TEXT else None
            if inner.tag_id == tree.IMG:
                text = inner.attributes.get("alt")
            if text and (inner.tag_id == tree.IMG) is bool(trim(text)):
                texts.append(text)
        return trim(" ".join(texts))[:MAX_ANCHOR_CHARACTERS]

    def _nodes_of_anchor(self, nodes: Iterable[LexborNode]) -> Iterator[LexborNode]:
        """The first ones, as many as may still be looked at: links can stand within links."""
        for node in islice(nodes, min(_MAX_ANCHOR_NODES, self._n_anchor_nodes_left)):
            self._n_anchor_nodes_left -= 1
            yield node


def _is_thrown_away(element: LinkElement, node: LexborNode) -> bool:
    """Whether a link is an artefact of repaired markup: without content though it needs some, or around a
    single element of its own kind."""
    first = node.first_child
    if first is None:
        return element.needs_child
    children = [first]
    while (following := children[-1].next) is not None:
        children.append(following)
        if len(children) > 3:
            return False
    inner = [child for child in children if child.tag_id == node.tag_id]
    others = [child for child in children if child.tag_id != node.tag_id]
    return len(inner) == 1 and all(
        child.tag_id == tree.TEXT and not (child.text_content or "").strip() for child in others
    )
