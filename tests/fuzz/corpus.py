"""Known documents that mutation starts from: golden cases, vectors, pages of the local web, past findings."""

from __future__ import annotations

import json
import re
from functools import cache
from pathlib import Path
from typing import Any

from hyphe_core.parsers.stylesheets import shipped_folder

TESTS = Path(__file__).parents[1]
FINDINGS = Path(__file__).with_name("findings")
_MARKUP = re.compile(rb'b"((?:[^"\\]|\\.)*<(?:[^"\\]|\\.)*)"')


@cache
def seeds(kind: str) -> tuple[bytes, ...]:
    """Documents for a target: `html`, `xml`, `feeds`, or `texts` (values of vectors), in a fixed order."""
    makers = {"html": _html, "xml": _xml, "feeds": _feeds, "texts": _texts}
    return tuple(dict.fromkeys(makers[kind]()))


def _golden(*patterns: str) -> list[bytes]:
    return [
        path.read_bytes()
        for pattern in patterns
        for path in sorted((TESTS / "golden").glob(pattern))
        if path.is_file()
    ]


def _html() -> list[bytes]:
    server = (TESTS / "mock_web" / "server.py").read_bytes()
    pages = [found[1] for found in _MARKUP.finditer(server)]
    return [*_golden("html/*/page.html", "parse/*html/*/input.*"), *pages, *_texts_with("<")]


def _xml() -> list[bytes]:
    sheets = [
        entry.read_bytes()
        for entry in sorted(shipped_folder().iterdir(), key=str)
        if entry.name.endswith("xsl")
    ]
    return [*_golden("parse/*/*/input.*"), *_texts_with("<?xml"), *sheets]


def _feeds() -> list[bytes]:
    return [
        *_golden("parse/rss/*/input.*", "parse/atom/*/input.*"),
        *_texts_with("<rss"),
        *_texts_with("<feed"),
    ]


def _texts_with(mark: str) -> list[bytes]:
    return [text for text in _texts() if mark.encode() in text]


@cache
def _texts() -> list[bytes]:
    groups = json.loads((TESTS / "vectors" / "parse.json").read_text("utf-8"))
    found: list[bytes] = []
    for group in groups:
        for case in group["cases"]:
            _collect(case["in"], found)
    return found


def _collect(value: Any, found: list[bytes]) -> None:
    if isinstance(value, str):
        found.append(value.encode("utf-8", "replace"))
    elif isinstance(value, list):
        for one in value:
            _collect(one, found)
    elif isinstance(value, dict):
        for one in value.values():
            _collect(one, found)
