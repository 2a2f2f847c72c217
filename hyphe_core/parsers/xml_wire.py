"""Documents and outcomes as bytes between a process and the children that read its XML.

A message is its length in four bytes, then the message. What comes back from a child is JSON of texts and
numbers alone: a child that a document broke into cannot hand its parent anything that runs.
"""

from __future__ import annotations

import json
import struct
from typing import Any, Final

from hyphe_core.parsers.base import Document, Metadatum, ParseMajor, ParseMinor, ParseStatus, SchemeCount
from hyphe_core.parsers.markup import MarkupOutcome
from hyphe_core.parsers.parse_out import FIELDS, Outlink, ParseOut, Redirection
from hyphe_core.parsers.parse_out_cleaning import Cleaned
from memory_structure.records import LinkKind

LENGTH: Final = struct.Struct(">I")
_FIELDS: Final = tuple(sorted(FIELDS))
_encode: Final = json.JSONEncoder(ensure_ascii=False, check_circular=False, separators=(",", ":")).encode


def pack_request(document: Document, options: tuple[bool, str, str, int]) -> bytes:
    """A request: a line of JSON, then the body as it is."""
    head = _encode([document.url, document.content_type, options]).encode("utf-8", "surrogatepass")
    return b"".join((LENGTH.pack(len(head) + 1 + len(document.body)), head, b"\n", document.body))


def unpack_request(message: bytes) -> tuple[Document, tuple[bool, str, str, int]]:
    """The document and the options of a request without its length."""
    head, _, body = message.partition(b"\n")
    url, content_type, options = json.loads(head.decode("utf-8", "surrogatepass"))
    return Document(url, body, content_type), tuple(options)


def pack_outcome(outcome: MarkupOutcome) -> bytes:
    """An outcome with its length."""
    message = _encode(
        [
            [_plain(cleaned) for cleaned in outcome.parses],
            outcome.kinds,
            outcome.parser,
            outcome.why,
            outcome.encoding,
            outcome.encoding_source,
            outcome.warnings,
        ]
    ).encode("utf-8", "surrogatepass")
    return LENGTH.pack(len(message)) + message


def _plain(cleaned: Cleaned) -> list[Any]:
    parse = cleaned.parse
    return [
        parse.link,
        parse.content_type,
        parse.status,
        parse.title,
        parse.text,
        parse.redirect,
        parse.outlinks,
        parse.meta,
        {name: values for name in _FIELDS if (values := getattr(parse, name))},
        cleaned.n_links_cut,
        cleaned.n_links_by_scheme,
    ]


def unpack_outcome(message: bytes) -> MarkupOutcome:
    """The outcome of a message without its length. Raises ValueError, TypeError, KeyError for another's."""
    parses, kinds, parser, why, encoding, source, warnings = json.loads(
        message.decode("utf-8", "surrogatepass")
    )
    return MarkupOutcome(
        tuple(map(_cleaned, parses)),
        tuple(tuple(None if kind is None else _KINDS[kind] for kind in each) for each in kinds),
        parser,
        why,
        encoding,
        source,
        tuple(warnings),
    )


_KINDS: Final = tuple(LinkKind)


def _cleaned(plain: list[Any]) -> Cleaned:
    link, content_type, status, title, text, redirect, outlinks, meta, fields, n_cut, schemes = plain
    new = tuple.__new__
    parse = ParseOut(
        link,
        content_type,
        ParseStatus(ParseMajor(status[0]), ParseMinor(status[1]), status[2]),
        title,
        text=text,
        redirect=Redirection(*redirect) if redirect is not None else None,
        outlinks=tuple(new(Outlink, outlink) for outlink in outlinks),
        meta=tuple(new(Metadatum, pair) for pair in meta),
        **{name: tuple(values) for name, values in fields.items()},
    )
    return Cleaned(parse, n_cut, tuple(SchemeCount(*count) for count in schemes))
