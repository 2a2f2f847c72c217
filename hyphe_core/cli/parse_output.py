"""What `hyphe parse` prints of a document."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from enum import StrEnum
from typing import Final

from hyphe_core.api.json_values import JsonObject
from hyphe_core.api.parse_shapes import shown_explanation, shown_parse
from hyphe_core.parsers.inspection import Inspection
from hyphe_core.parsers.parse_out import ParseOut, write_parse_out
from hyphe_core.parsers.registry import name_of
from hyphe_core.parsers.statuses import describe

# Characters that would give orders to a terminal.
_ORDERS: Final = re.compile(r"[\x00-\x08\x0b-\x1f\x7f-\x9f]")
_SEVERAL: Final = "==> {} <=="


class OutputFormat(StrEnum):
    """The forms in which a parse is printed."""

    PARSE_OUT = "parse-out"
    JSON = "json"
    TEXT = "text"
    LINKS = "links"


def visible(text: str) -> str:
    """A text without characters that steer a terminal."""
    return _ORDERS.sub("\ufffd", text)


def explanation_lines(inspection: Inspection, note: str = "") -> Iterator[str]:
    """How a document was read, one fact a line."""
    explanation, result = inspection.explanation, inspection.kept.result
    yield f"document: {inspection.document.url} ({len(inspection.document.body)} bytes)"
    if note:
        yield f"fetched: {note}"
    yield f"status: {describe(result.status)}"
    says = [f"declared {explanation.declared_type}"] if explanation.declared_type else []
    says.append(f"bytes say {explanation.sniffed_type}")
    yield f"type: {explanation.media_type}, {inspection.type_source.value} ({', '.join(says)})"
    yield f"parser: {explanation.read_by or 'none'} ({explanation.why})"
    asked = ", ".join(f"{name_of(each.parser)} ({each.why})" for each in explanation.candidates)
    yield f"could read it: {asked or 'nobody'}"
    encoding = f"{result.encoding}, by {result.encoding_source}" if result.encoding else "not read as text"
    yield f"encoding: {encoding}"
    yield f"profile: {inspection.profile.value}"
    found = [f"title of {len(result.title)} and text of {len(result.text)} characters"]
    found += [f"{len(result.links)} links", f"{len(result.parses)} entries"]
    yield f"found: {', '.join(found)}"
    left_out = ", ".join(f"{each.reason}: {each.n}" for each in inspection.omissions)
    yield f"links left out: {left_out or 'none'}"
    yield f"limits: {'; '.join(inspection.limits) or 'none met'}"
    for warning in dict.fromkeys(explanation.warnings):
        yield f"warning: {warning}"


def json_text(record: JsonObject, *, one_line: bool) -> str:
    """A record as JSON; what UTF-8 cannot say is replaced."""
    text = json.dumps(record, ensure_ascii=False, indent=None if one_line else 2, allow_nan=False)
    return text.encode("utf-8", "replace").decode()


class Printer:
    """Writes the parses of one run. Several JSON records stand one a line; parse-out is one document for all,
    written at the end; before each text and list of links among several a line names the document."""

    def __init__(self, form: OutputFormat, *, several: bool, explains: bool) -> None:
        self._form = form
        self._several = several
        self._explains = explains
        self._parse_outs: dict[str, ParseOut] = {}

    def iter_parts(self, inspection: Inspection, name: str) -> Iterator[str]:
        """What to print of a document at once, in pieces that end with a line end."""
        if self._form is OutputFormat.PARSE_OUT:
            for parse in inspection.parse_outs:
                self._parse_outs.setdefault(parse.link, parse)
        elif self._form is OutputFormat.JSON:
            yield self._json(inspection) + "\n"
        else:
            if self._several:
                yield visible(_SEVERAL.format(name)) + "\n"
            yield from _text(inspection) if self._form is OutputFormat.TEXT else _links(inspection)

    def find_end(self) -> str:
        """What to print after all documents, "" when there is nothing."""
        return write_parse_out(list(self._parse_outs.values())).decode() if self._parse_outs else ""

    def _json(self, inspection: Inspection) -> str:
        found = shown_parse(inspection)
        if self._explains:
            found = found | {"explanation": shown_explanation(inspection)}
        return json_text(found, one_line=self._several)


def _text(inspection: Inspection) -> Iterator[str]:
    for result in (inspection.kept.result, *inspection.kept.result.parses):
        if result.text:
            yield visible(result.text) + "\n"


def _links(inspection: Inspection) -> Iterator[str]:
    """Address, kind and anchor, parted by tabs; those of entries after those of the document."""
    for result in (inspection.kept.result, *inspection.kept.result.parses):
        for link in result.links:
            cells = (link.url, link.kind.name.lower(), link.anchor)
            yield "\t".join(visible(" ".join(cell.split())) for cell in cells) + "\n"
