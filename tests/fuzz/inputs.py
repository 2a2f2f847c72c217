"""Inputs of the fuzzer, and how they are kept: whole, or as parts that are repeated."""

from __future__ import annotations

import base64
import json
from dataclasses import dataclass
from pathlib import Path


@dataclass(frozen=True)
class Input:
    """What is given to a target: bytes, and what is said beside them (a content type, a pattern)."""

    body: bytes
    note: str = ""

    def to_text(self) -> str:
        """The input as a text of ASCII; `from_text` is the way back."""
        note = base64.b64encode(self.note.encode("utf-8", "surrogatepass"))
        return f"{note.decode()}.{base64.b64encode(self.body).decode()}"

    @staticmethod
    def from_text(text: str) -> Input:
        note, _, body = text.partition(".")
        return Input(base64.b64decode(body), base64.b64decode(note).decode("utf-8", "surrogatepass"))


@dataclass(frozen=True)
class KeptFinding:
    """A finding of the past: its target, what the input did, and the input."""

    name: str
    target: str
    what: str
    given: Input


def read_finding(path: Path) -> KeptFinding:
    """A finding from its file: JSON with `target`, `what`, and for `body` and `note` lists of a text and how
    often it stands there, `%d` in it being the number of the time."""
    kept = json.loads(path.read_text("utf-8"))
    given = Input(_put_together(kept["body"]).encode("utf-8"), _put_together(kept.get("note", [])))
    return KeptFinding(path.stem, kept["target"], kept["what"], given)


def _put_together(parts: list[tuple[str, int]]) -> str:
    pieces = []
    for text, n_times in parts:
        numbered = "%d" in text
        pieces.append(
            "".join(text.replace("%d", str(n)) for n in range(n_times)) if numbered else text * n_times
        )
    return "".join(pieces)
