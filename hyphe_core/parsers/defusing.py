"""Pages that would make an HTML tree explode are flattened first. Ordinary pages pass through untouched.

Two costs of the parsing algorithm of HTML5 grow with the square of the page: open formatting elements are
made anew in every following paragraph (28 KB can become 800 MB), and each block looks for an open paragraph
through all its ancestors (200,000 nested blocks take minutes). Browsers cut nesting at 512; so do we, by
dropping tags, never links or text.
"""

from __future__ import annotations

import re
from itertools import islice

MAX_DEPTH = 512
MAX_FORMATTING_DEPTH = 100
MAX_ATTRIBUTES = 1000
# Below these numbers the worst page is parsed in a tenth of a second.
_N_HARMLESS_BYTES = 8192
_N_HARMLESS_TAGS = 1500
_N_HARMLESS_TAG_BYTES = 65_536
_N_HARMLESS_DEPTH_TAGS = 10_000

_FORMATTING_NAMES = rb"b|big|code|em|font|i|nobr|s|small|strike|strong|tt|u"
_FORMATTING = re.compile(rb"<(/?)(?:" + _FORMATTING_NAMES + rb")(?=[\s/>])[^<>]*>?", re.IGNORECASE)
_ATTRIBUTE = re.compile(rb"""[^\s/>=]++(?:\s*+=\s*+(?:"[^"]*+"|'[^']*+'|[^\s>]*+))?+""")
# A start tag as the tokenizer of HTML5 sees it: quotes count right after "=" only. Never backtracks.
_WHOLE_TAG = re.compile(rb"""<[a-z](?:[^>=]++|=\s*+(?:"[^"]*+"|'[^']*+')?+)*+>?""", re.IGNORECASE)
_TAG = re.compile(rb"<(/?)([a-z][^\s/<>]*)[^<>]*>?", re.IGNORECASE)
# Elements that never nest by themselves: empty ones, and those that the next of their kind closes.
_FLAT = frozenset(
    b"area base br col embed hr img input link meta param source track wbr frame basefont bgsound keygen"
    b" p li dd dt option tr td th thead tbody tfoot caption colgroup rb rp rt rtc"
    b" a html head body".split()
)
# Elements that carry links or facts, or whose content is not markup.
_KEPT = _FLAT - {b"p", b"li", b"dd", b"dt"} | frozenset(
    b"iframe frameset noframes noembed script style textarea title noscript template select table"
    b" plaintext xmp".split()
)


def defuse(markup: bytes) -> tuple[bytes, str]:
    """(markup that is safe to parse, warning or ""). Same markup when it is safe as it stands."""
    if len(markup) < _N_HARMLESS_BYTES:
        return markup, ""
    warning = ""
    if len(markup) > _N_HARMLESS_TAG_BYTES and _has_long_tag(markup):
        markup, warning = _cut_monstrous_tags(markup)
    n_tags = markup.count(b"<")
    if n_tags < _N_HARMLESS_TAGS:
        return markup, warning
    if _formatting_depth(markup) > MAX_FORMATTING_DEPTH:
        markup, warning = _FORMATTING.sub(b"", markup), "formatting tags dropped: too many open at once"
    if n_tags < _N_HARMLESS_DEPTH_TAGS or _depth(markup) <= MAX_DEPTH:
        return markup, warning
    return _flatten(markup), f"tags nested deeper than {MAX_DEPTH} dropped"


def _has_long_tag(markup: bytes) -> bool:
    """Whether some tag may be long. Long runs without ">" are mostly scripts, or images in data: URLs."""
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


def _formatting_depth(markup: bytes) -> int:
    """Most formatting elements open at the same time, by counting tags."""
    depth = deepest = 0
    for match in _FORMATTING.finditer(markup):
        if match[1]:
            depth = depth - 1 if depth else 0
        else:
            depth += 1
            if depth > deepest:
                deepest = depth
    return deepest


def _depth(markup: bytes) -> int:
    """Deepest nesting, by counting tags of elements that can nest."""
    depth = deepest = 0
    for match in _TAG.finditer(markup):
        closing, name = match.groups()
        if name.lower() in _FLAT:
            continue
        if closing:
            depth = depth - 1 if depth else 0
        else:
            depth += 1
            if depth > deepest:
                deepest = depth
    return deepest


def _flatten(markup: bytes) -> bytes:
    """The markup without the tags deeper than `MAX_DEPTH`, save those that matter for links."""
    depth = 0

    def keep_or_drop(match: re.Match[bytes]) -> bytes:
        nonlocal depth
        name = match[2].lower()
        if name in _FLAT:
            return match[0] if depth <= MAX_DEPTH or name in _KEPT else b" "
        if match[1]:
            dropped = depth > MAX_DEPTH
            depth = depth - 1 if depth else 0
        else:
            depth += 1
            dropped = depth > MAX_DEPTH
        return b" " if dropped and name not in _KEPT else match[0]

    return _TAG.sub(keep_or_drop, markup)
