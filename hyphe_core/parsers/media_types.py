"""The media type of an answer from all that is known: header, URL and bytes, in that order of refinement."""

from __future__ import annotations

import mimetypes
from urllib.parse import urlsplit

from hyphe_core.parsers.dialects import XML, recognise
from hyphe_core.parsers.sniff import OCTET_STREAM, find_declared_type

_TEXT = "text/plain"
_XML_TYPES = frozenset({XML, "text/xml"})


def detect_media_type(content_type: str | None, url: str, body: bytes, *, uses_bytes: bool = True) -> str:
    """Media type, lower case, without parameters; octet-stream when nothing tells.

    A header that says nothing is replaced by the suffix of the URL. What the bytes tell counts more, unless
    the type so far is a special case of it: XHTML is a kind of XML, a style sheet a kind of plain text.
    """
    declared = find_declared_type(content_type)
    if declared is None or declared == OCTET_STREAM:
        declared = find_type_of_name(url)
    if not uses_bytes:
        return declared or OCTET_STREAM
    found = recognise(body)
    if found == OCTET_STREAM or (declared is not None and is_kind_of(declared, found)):
        return declared or OCTET_STREAM
    return found


def find_type_of_name(url: str) -> str | None:
    """Media type by the suffix of the URL's path; None when there is none, or none known."""
    try:
        path = urlsplit(url).path
    except ValueError:
        return None
    _, dot, suffix = path.rpartition("/")[2].rpartition(".")
    return mimetypes.types_map.get(f".{suffix.lower()}") if dot else None


def is_kind_of(media_type: str, general: str) -> bool:
    """Whether a type is the general one or a special case of it."""
    if media_type == general:
        return True
    if general in _XML_TYPES:
        return media_type.endswith("+xml") or media_type in _XML_TYPES
    return general == _TEXT and (media_type.startswith("text/") or media_type in _SCRIPTS)


_SCRIPTS = frozenset({"application/javascript", "application/json", "application/x-sh"})
