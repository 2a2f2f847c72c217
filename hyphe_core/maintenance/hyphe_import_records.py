"""What an import of web entities works on: records as found in files, and what became of each."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum

from memory_structure.records import StartPage, WebEntityStatus

Tag = tuple[str, str, str]


class ImportOutcome(StrEnum):
    """What became of a line."""

    CREATED = "created"
    KNOWN = "known already"
    JOINED = "joined"
    PARTLY = "partly imported"
    REFUSED = "not imported"
    REMARK = "remark"


@dataclass(frozen=True, slots=True)
class ImportLine:
    """What became of a record, or of a part of it; `where` names file and line."""

    where: str
    outcome: ImportOutcome
    message: str


@dataclass(frozen=True, slots=True)
class ImportedEntity:
    """A web entity as found in a file. `prefixes` are LRUs or addresses in any spelling; with `widened` their
    variations are meant too. `key` is its id in the file. `status` None: the file does not say. `faults`:
    what of the record could not be read."""

    where: str
    prefixes: tuple[str, ...]
    key: str = ""
    name: str = ""
    status: WebEntityStatus | None = None
    homepage: str = ""
    start_pages: tuple[StartPage, ...] = ()
    tags: tuple[Tag, ...] = ()
    note: str = ""
    widened: bool = False
    faults: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class ImportedRule:
    """A creation rule as found in a file."""

    where: str
    prefix: str
    preset: str


@dataclass(frozen=True, slots=True)
class ImportPlan:
    """What files hold. `name` and `options` are those of the corpus they come from (options by the names of
    the older program); `lines` what could not be read."""

    entities: tuple[ImportedEntity, ...] = ()
    rules: tuple[ImportedRule, ...] = ()
    name: str = ""
    options: Mapping[str, object] = field(default_factory=dict)
    lines: tuple[ImportLine, ...] = ()


@dataclass(frozen=True, slots=True)
class ImportReport:
    """What an import did; `lines` in the order of the files, with what was left out and why."""

    n_created: int
    n_known: int
    n_rules: int
    lines: tuple[ImportLine, ...]

    @property
    def n_refused(self) -> int:
        """Lines that were not imported."""
        return sum(1 for line in self.lines if line.outcome is ImportOutcome.REFUSED)
