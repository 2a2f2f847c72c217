"""The root of an XML document without reading the document: name, namespace, public identifier.

A quick look at the first bytes, for choosing a parser; the tree of the parser that
reads it has the last word.
"""

from __future__ import annotations

import re
from typing import Final, NamedTuple

N_BYTES: Final = 65_536
_FEW_BYTES: Final = 1024
_SKIPPED: Final = rb"(?:\s+|<\?.*?\?>|<!--.*?-->)*"
_DOCTYPE: Final = (
    rb"(?:<!DOCTYPE\s+[^\s>\[]+\s*(?:PUBLIC\s*([\"'])(?P<public>[^\"']{0,500})\1)?[^>\[]*(?:\[.*?\]\s*)?>)?"
)
_START: Final = re.compile(
    rb"(?:\xef\xbb\xbf)?" + _SKIPPED + _DOCTYPE + _SKIPPED + rb"<(?:(?P<prefix>[^\s<>/:=!?]{1,100}):)?"
    rb"(?P<name>[^\s<>/:=!?]{1,100})(?P<attributes>[^<>]*)",
    re.DOTALL | re.IGNORECASE,
)
_NAMESPACE: Final = re.compile(rb"xmlns(?::([^\s=]+))?\s*=\s*(?:\"([^\"]*)\"|'([^']*)')")
_SIXTEEN_BIT: Final = (b"\xff\xfe", b"\xfe\xff", b"<\0", b"\0<")


class XmlRoot(NamedTuple):
    """What a document's root is called. `namespace` and `public_id` are "" when there is none."""

    name: str
    namespace: str
    public_id: str

    @property
    def qualified(self) -> str:
        """`{namespace}name`, or `name`."""
        return f"{{{self.namespace}}}{self.name}" if self.namespace else self.name


def find_root(body: bytes) -> XmlRoot | None:
    """The root of what may be XML, by its first bytes; None when there is no start tag near them."""
    for n_bytes in (_FEW_BYTES, N_BYTES):
        start = body[:n_bytes]
        if start.startswith(_SIXTEEN_BIT):
            start = start.removeprefix(b"\xff\xfe").removeprefix(b"\xfe\xff").replace(b"\0", b"")
        found = _START.match(start)
        if found is not None and (found.end() < len(start) or len(body) <= n_bytes):
            return _root_of(found)
    return None


def _root_of(found: re.Match[bytes]) -> XmlRoot:
    prefix = found["prefix"] or b""
    namespace = b""
    for name, double, single in _NAMESPACE.findall(found["attributes"]):
        if name == prefix:
            namespace = double or single
    texts = (found["name"], namespace, found["public"] or b"")
    return XmlRoot(*(" ".join(text.decode("utf-8", "replace").split()) for text in texts))
