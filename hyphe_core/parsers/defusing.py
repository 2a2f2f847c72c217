"""Pages that would make an HTML tree explode are flattened first. Ordinary pages pass through untouched.

Costs of the parsing algorithm of HTML5 grow with the square of the page: open formatting elements are made
anew in every following paragraph (28 KB can become 800 MB), each block looks for an open paragraph through
all its ancestors (200,000 nested blocks take minutes), each attribute is compared with those of its tag, each
new name with a share of all names. Browsers cut nesting at 512; so do we, by dropping tags, never links or
text.
"""

from __future__ import annotations

import re
from itertools import islice

from hyphe_core.parsers.flattening import MAX_DEPTH, count_attribute_names, examine, flatten

MAX_ATTRIBUTES = 1000
# Below these numbers the worst page is parsed in a tenth of a second.
_N_HARMLESS_BYTES = 8192
_N_HARMLESS_TAGS = 1500
_N_HARMLESS_TAG_BYTES = 8192
_N_HARMLESS_DEPTH_TAGS = 10_000
_N_HARMLESS_NAME_BYTES = 131_072
_N_HARMLESS_NAMES = 8000
# Formatting elements open at once, times tags: so many nodes may come of them.
_N_HARMLESS_NODES = 1_000_000

_FORMATTING_NAMES = rb"b|big|code|em|font|i|nobr|s|small|strike|strong|tt|u"
_FORMATTING = re.compile(rb"<(?:/?)(?:" + _FORMATTING_NAMES + rb")(?=[\s/>])[^<>]*>?", re.IGNORECASE)
_FORMATTING_START = re.compile(rb"<(?:" + _FORMATTING_NAMES + rb")[\s/>]", re.IGNORECASE)
_NOTHING = b"<!-->"  # a comment: what stands around it does not become a tag
_ATTRIBUTE = re.compile(rb"""[^\s/>=]++(?:\s*+=\s*+(?:"[^"]*+"|'[^']*+'|[^\s>]*+))?+""")
# A start tag as the tokenizer of HTML5 sees it: quotes count right after "=" only. Never backtracks.
_WHOLE_TAG = re.compile(rb"""<[a-z](?:[^>=]++|=\s*+(?:"[^"]*+"|'[^']*+')?+)*+>?""", re.IGNORECASE)


def defuse(markup: bytes) -> tuple[bytes, str]:
    """(markup that is safe to parse, warning or ""). Same markup when it is safe as it stands."""
    if len(markup) < _N_HARMLESS_BYTES:
        return markup, ""
    warning = ""
    if _has_long_tag(markup):
        markup, warning = _cut_monstrous_tags(markup)
    if _has_many_names(markup):
        return flatten(markup), "attributes dropped: too many different names"
    n_tags = markup.count(b"<")
    if n_tags < _N_HARMLESS_TAGS:
        return markup, warning
    n_formatting = len(_FORMATTING_START.findall(markup))
    if n_tags < _N_HARMLESS_DEPTH_TAGS and n_formatting * n_tags <= _N_HARMLESS_NODES:
        return markup, warning
    found = examine(markup)
    if found.is_deep and n_tags >= _N_HARMLESS_DEPTH_TAGS:
        return flatten(markup), f"tags nested deeper than {MAX_DEPTH} dropped"
    if min(found.n_formatting, n_formatting) * n_tags > _N_HARMLESS_NODES or (found.is_deep and n_formatting):
        return _FORMATTING.sub(_NOTHING, markup), "formatting tags dropped: too many open at once"
    return markup, warning


def _has_many_names(markup: bytes) -> bool:
    """Whether attributes may have too many names. Few pages have so many blanks that they are counted."""
    if (
        len(markup) < _N_HARMLESS_NAME_BYTES
        or len(markup.split(None, _N_HARMLESS_NAMES)) <= _N_HARMLESS_NAMES
    ):
        return False
    return count_attribute_names(markup) > _N_HARMLESS_NAMES


def _has_long_tag(markup: bytes) -> bool:
    """Whether some tag may be long. Long runs without ">" are mostly scripts, or images in data: URLs."""
    # A long run covers a whole half of its length that begins at a multiple of it. Most pages have none.
    half = _N_HARMLESS_TAG_BYTES // 2
    if all(markup.find(b">", start, start + half) >= 0 for start in range(0, len(markup) - half + 1, half)):
        return False
    return max(map(len, markup.split(b">"))) > _N_HARMLESS_TAG_BYTES


def _cut_monstrous_tags(markup: bytes) -> tuple[bytes, str]:
    """Keep the first attributes of tags that have thousands: each is compared with all before it."""
    warning = ""

    def cut(match: re.Match[bytes]) -> bytes:
        nonlocal warning
        tag = match[0]
        if len(tag) < _N_HARMLESS_TAG_BYTES or b"</script" in tag:
            return tag
        last = next(islice(_ATTRIBUTE.finditer(tag, 1), MAX_ATTRIBUTES, None), None)
        if last is None:
            return tag
        warning = f"a tag was cut after {MAX_ATTRIBUTES} attributes"
        return tag[: last.end()] + b">"

    return _WHOLE_TAG.sub(cut, markup), warning
