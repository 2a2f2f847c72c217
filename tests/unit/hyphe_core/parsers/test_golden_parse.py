"""Every golden document gives the parse-out kept beside it, which is valid."""

from __future__ import annotations

from collections import Counter

import pytest

from hyphe_core.parsers.markup_formats import shipped_formats
from hyphe_core.parsers.parse_out import read_parse_out, validate, write_parse_out
from tests.golden.parse.cases import list_names, read_case

NAMES = list_names()
N_CASES_OF_A_FORMAT = 8


@pytest.mark.parametrize("name", NAMES)
def test_golden_document(name: str) -> None:
    case = read_case(name)
    expected = case.expected_path.read_bytes()
    assert case.run().decode("utf-8") == expected.decode("utf-8")
    assert validate(expected) == []
    assert write_parse_out(read_parse_out(expected)) == expected


def test_every_format_has_its_cases() -> None:
    found = Counter(name.partition("/")[0] for name in NAMES)
    formats = {shipped.name for shipped in shipped_formats()}
    assert {name: found[name] for name in formats if found[name] < N_CASES_OF_A_FORMAT} == {}
