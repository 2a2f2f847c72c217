"""Golden cases of the parse stage: read from their folders, run."""

from __future__ import annotations

import json
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from hyphe_core.parsers.base import Document
from hyphe_core.parsers.parse_out import write_parse_out
from hyphe_core.parsers.parse_out_results import parse_outs_of
from hyphe_core.parsers.profiles import PROFILES, RESEARCH, ProfileName
from hyphe_core.parsers.registry import ParserRegistry, default_registry
from hyphe_core.parsers.xml_parser import InProcess, XmlOptions, XmlParser

FOLDER = Path(__file__).parent


@dataclass(frozen=True)
class GoldenCase:
    """One folder: a document, how it came, what it gives."""

    name: str
    document: Document
    profile: ProfileName
    format: str

    @property
    def expected_path(self) -> Path:
        return FOLDER / self.name / "expected.xml"

    def run(self) -> bytes:
        """The parse-out document that the case gives now."""
        profile = PROFILES[self.profile]
        parser = XmlParser(InProcess(), XmlOptions(format=self.format)).for_profile(profile)
        if not self.format:
            chosen = _registry().list_candidates(self.document)[0].parser
            if not isinstance(chosen, XmlParser):
                result = _registry().parse(self.document, profile)
                return write_parse_out(parse_outs_of(result, self.document))
        return write_parse_out(parser.parse_out(self.document))


@cache
def _registry() -> ParserRegistry:
    return default_registry(isolated=False)


def list_names() -> list[str]:
    """Names of all cases, `FORMAT/CASE`, in order."""
    return sorted(str(path.parent.relative_to(FOLDER)) for path in FOLDER.glob("*/*/case.json"))


def read_case(name: str) -> GoldenCase:
    """A case by its name."""
    folder = FOLDER / name
    described = json.loads((folder / "case.json").read_text("utf-8"))
    (path,) = folder.glob("input.*")
    document = Document(described["url"], path.read_bytes(), described["content_type"])
    profile = ProfileName(described.get("profile", RESEARCH.name))
    return GoldenCase(name, document, profile, described.get("format", ""))
