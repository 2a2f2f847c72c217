"""The root of an XML document without reading the document: name, namespace, public identifier.

A quick look at the first bytes, for choosing a parser; the tree of the parser that
reads it has the last word.
"""

from __future__ import annotations

import re
from typing import Final, NamedTuple

N_BYTES: Final = 65_536
_FEW_BYTES: Final = 1024
_MARK: Final = b"\xef\xbb\xbf"
_BLANKS: Final = re.compile(rb"\s*")
_SPANS: Final = ((b"<?", b"?>"), (b"<!--", b"-->"))
_DOCTYPE: Final = re.compile(
    rb"<!DOCTYPE\s+[^\s<>\[]{1,200}\s*(?:PUBLIC\s*(?:\"([^\"]{0,500})\"|'([^']{0,500})'))?[^<>\[]{0,2000}([\[>])",
    re.IGNORECASE,
)
_END_OF_SUBSET: Final = re.compile(rb"\]\s*>")
_START_TAG: Final = re.compile(rb"<(?:([^\s<>/:=!?]{1,100}):)?([^\s<>/:=!?]{1,100})([^<>]{0,4000})([<>]?)")
_NAMESPACE: Final = re.compile(rb"xmlns(?::([^\s=]{1,100}))?\s*=\s*(?:\"([^\"]*)\"|'([^']*)')")
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
        found = _read_start(start.removeprefix(_MARK), is_whole=len(body) <= n_bytes)
        if found is not None:
            return found
    return None


def _read_start(start: bytes, *, is_whole: bool) -> XmlRoot | None:
    """The root after instructions, comments and document type; None when the bytes end before it does."""
    at, public_id = 0, b""
    while True:
        at = _end_of(_BLANKS.match(start, at))
        opened = next((span for span in _SPANS if start.startswith(span[0], at)), None)
        if opened is not None:
            end = start.find(opened[1], at + len(opened[0]))
            if end < 0:
                return None
            at = end + len(opened[1])
        elif (doctype := _DOCTYPE.match(start, at)) is not None:
            public_id = doctype[1] or doctype[2] or b""
            ended = doctype if doctype[3] == b">" else _END_OF_SUBSET.search(start, doctype.end())
            if ended is None:
                return None
            at = ended.end()
        else:
            break
    tag = _START_TAG.match(start, at)
    return _root_of(tag, public_id) if tag is not None and (tag[4] or is_whole) else None


def _end_of(found: re.Match[bytes] | None) -> int:
    assert found is not None  # a run of blanks may be empty
    return found.end()


def _root_of(tag: re.Match[bytes], public_id: bytes) -> XmlRoot:
    prefix = tag[1] or b""
    namespace = b""
    for name, double, single in _NAMESPACE.findall(tag[3]):
        if name == prefix:
            namespace = double or single
    texts = (tag[2], namespace, public_id)
    return XmlRoot(*(" ".join(text.decode("utf-8", "replace").split()) for text in texts))
