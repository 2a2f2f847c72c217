"""Whole pages and what must be found in them: one folder a case with the page, how it came, the result."""

from __future__ import annotations

import json
from collections.abc import Iterable
from dataclasses import asdict
from pathlib import Path

import pytest

from hyphe_core.parsers.base import Document, ParseResult
from hyphe_core.parsers.registry import default_registry

CASES = sorted(path.parent for path in Path(__file__).parents[3].glob("golden/html/*/document.json"))


def read_document(case: Path) -> Document:
    described = json.loads((case / "document.json").read_text())
    return Document(
        url=described["url"],
        body=(case / "page.html").read_bytes(),
        content_type=described["content_type"],
        headers=tuple((name, value) for name, value in described["headers"]),
        agent_token=described["agent_token"],
    )


def as_json(result: ParseResult, fields: Iterable[str]) -> object:
    """These fields of the result as plain JSON values, links by name."""
    described = {name: value for name, value in asdict(result).items() if name in fields}
    described["links"] = [
        {**link._asdict(), "kind": link.kind.name, "area": link.area.name} for link in result.links
    ]
    return json.loads(json.dumps(described))


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.name)
def test_golden_page(case: Path) -> None:
    expected = json.loads((case / "expected.json").read_text())
    result = default_registry().parse(read_document(case))
    assert result.status.is_success
    assert as_json(result, expected) == expected


def test_there_are_cases() -> None:
    assert len(CASES) >= 10
