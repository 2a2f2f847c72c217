"""Profiles: which rules a page of HTML is read by.

`RESEARCH`, the default of crawls, loses nothing and reads what a browser shows. `NUTCH` reads as Nutch's
parse stage does, without its known faults: every element that names an address gives a link, pages and links
that say nofollow give none, text has lines where blocks begin and end.
"""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass, replace
from enum import StrEnum
from typing import NamedTuple

from memory_structure.records import LinkKind


class ProfileName(StrEnum):
    """The profiles that a corpus can choose."""

    RESEARCH = "research"
    NUTCH = "nutch"


class CachingPolicy(StrEnum):
    """What a search service may show of a page that forbids caching: no copy, nothing at all, everything."""

    CONTENT = "content"
    ALL = "all"
    NONE = "none"


class LinkElement(NamedTuple):
    """An element that gives links: where its address stands, and whether it must have content to count."""

    element: str
    attribute: str
    needs_child: bool = False
    kind: LinkKind = LinkKind.HYPERLINK


_A = LinkElement("a", "href")
_AREA = LinkElement("area", "href")
_FRAME = LinkElement("frame", "src", kind=LinkKind.FRAME)
_IFRAME = LinkElement("iframe", "src", kind=LinkKind.FRAME)
_LINK = LinkElement("link", "href", kind=LinkKind.HEAD)
FORM = LinkElement("form", "action", needs_child=True)
# Addresses of resources have no kind of their own; as head links they stay out of networks.
_RESOURCES = tuple(LinkElement(name, "src", kind=LinkKind.HEAD) for name in ("img", "script", "source"))

NUTCH_LINE_SEPARATORS = frozenset(
    "article aside blockquote canvas dd div dl dt fieldset figcaption figure footer form h1 h2 h3 h4 h5 h6"
    " header hr li main nav noscript ol output p pre section table tfoot ul video".split()
)


@dataclass(frozen=True, slots=True)
class ParseProfile:
    """Rules by which a page is read. The fields after `link_elements` hold for the walk by rules only.

    `by_rules`: read by the walk that looks its rules up here; else by the quick one of `html`, whose rules
    are fixed. `line_separators`: elements that begin and end a line of text. `min_confidence`: per cent from
    which a guess of the encoding counts more than header and meta; negative = nobody guesses.
    """

    name: ProfileName
    by_rules: bool
    link_elements: tuple[LinkElement, ...]
    line_separators: frozenset[str] = frozenset()
    drops_nofollow_links: bool = False
    drops_links_of_nofollow_pages: bool = False
    empties_text_of_noindex_pages: bool = False
    caching_policy: CachingPolicy = CachingPolicy.CONTENT
    min_confidence: int = -1


RESEARCH = ParseProfile(
    ProfileName.RESEARCH, by_rules=False, link_elements=(_A, _AREA, _FRAME, _IFRAME, _LINK)
)
NUTCH = ParseProfile(
    ProfileName.NUTCH,
    by_rules=True,
    link_elements=(_A._replace(needs_child=True), _AREA, _FRAME, _IFRAME, _LINK, *_RESOURCES),
    line_separators=NUTCH_LINE_SEPARATORS,
    drops_nofollow_links=True,
    drops_links_of_nofollow_pages=True,
    empties_text_of_noindex_pages=True,
)
PROFILES = {profile.name: profile for profile in (RESEARCH, NUTCH)}


def with_link_elements(
    profile: ParseProfile, *, form_action: bool | None = None, ignored: Collection[str] = ()
) -> ParseProfile:
    """The profile with links of forms or without, and without those of the elements `ignored` (lower case).

    A form asked for by name (`form_action=True`) is not ignored.
    """
    elements = [one for one in profile.link_elements if one.element not in ignored]
    if form_action is not None:
        elements = [one for one in elements if one.element != "form"]
        if form_action:
            elements.append(FORM)
    return replace(profile, link_elements=tuple(elements))
