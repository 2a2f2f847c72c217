"""Prefixes of well-known vocabularies that a document uses and does not declare, as many feeds do."""

from __future__ import annotations

import re
from typing import Final

_NAMESPACES: Final = {
    "atom": "http://www.w3.org/2005/Atom",
    "cc": "http://creativecommons.org/ns#",
    "content": "http://purl.org/rss/1.0/modules/content/",
    "dc": "http://purl.org/dc/elements/1.1/",
    "dcterms": "http://purl.org/dc/terms/",
    "image": "http://www.google.com/schemas/sitemap-image/1.1",
    "itunes": "http://www.itunes.com/dtds/podcast-1.0.dtd",
    "media": "http://search.yahoo.com/mrss/",
    "news": "http://www.google.com/schemas/sitemap-news/0.9",
    "rdf": "http://www.w3.org/1999/02/22-rdf-syntax-ns#",
    "video": "http://www.google.com/schemas/sitemap-video/1.1",
    "xhtml": "http://www.w3.org/1999/xhtml",
    "xlink": "http://www.w3.org/1999/xlink",
}
_USED: Final = re.compile(rf"[<\s]({'|'.join(_NAMESPACES)}):[A-Za-z]")
_N_LOOKED_AT: Final = 8192
# The first start tag that stands in no comment, instruction or document type.
_ROOT: Final = re.compile(
    r"<!--.*?-->|<\?.*?\?>|<!DOCTYPE[^\[>]*(?:\[.*?\]\s*)?>|(<[A-Za-z_][\w.:-]*)(?=[\s/>])", re.DOTALL
)


def declare_prefixes(text: str) -> str:
    """The document with the known prefixes that it uses undeclared declared at its root; the same text when
    there are none."""
    used = set(_USED.findall(text))
    missing = sorted(prefix for prefix in used if f"xmlns:{prefix}=" not in text)
    if not missing:
        return text
    root = next((found for found in _ROOT.finditer(text, 0, _N_LOOKED_AT) if found[1]), None)
    if root is None:
        return text
    declarations = "".join(f' xmlns:{prefix}="{_NAMESPACES[prefix]}"' for prefix in missing)
    return text[: root.end()] + declarations + text[root.end() :]
