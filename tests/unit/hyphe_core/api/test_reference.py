"""docs/api.md says what the table of methods says."""

from __future__ import annotations

from pathlib import Path

from hyphe_core.api.catalogue import all_methods
from hyphe_core.api.reference import reference_text

FILE = Path(__file__).resolve().parents[4] / "docs" / "api.md"


def test_the_reference_is_up_to_date() -> None:
    assert FILE.read_text("utf-8") == reference_text(), (
        "run: python -m hyphe_core.api.reference > docs/api.md"
    )


def test_every_method_has_its_section() -> None:
    text = FILE.read_text("utf-8")
    for method in all_methods().list_methods():
        assert f"### {method.name}\n\n{method.doc}\n" in text
