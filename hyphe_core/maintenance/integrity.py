"""Jobs that prove the laws of a corpus, and those that compute again what is derived."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field

from hyphe_core.maintenance.job import (
    MaintenanceContext,
    MaintenanceJob,
    MaintenanceReport,
    Progress,
    counted,
    maintenance_job,
)
from memory_structure.corpus_records import Finding

FINDINGS_LIMIT = 100
BODY_LAW = "a body that a fetch names is kept"

_STEP = 1000


@maintenance_job
class Check(MaintenanceJob):
    """Prove the laws; changes nothing in either mode."""

    name = "check"
    description = (
        "Prove that every page has one owner, that aggregates and counters equal a recomputation, that no id "
        "dangles and that every body is there; name what differs. Changes nothing."
    )

    def run(self, context: MaintenanceContext, *, dry_run: bool, progress: Progress) -> MaintenanceReport:
        """Findings of the store, then those of the bodies, at most FINDINGS_LIMIT of each."""
        progress("pages, links and aggregates", 0, None)
        findings = context.structure.check(FINDINGS_LIMIT)
        bodies = _check_bodies(context, progress)
        findings = [*findings, *bodies.findings]
        or_more = " or more" if len(findings) >= FINDINGS_LIMIT else ""
        summary = counted(len(findings), "finding") + or_more if findings else "every law holds"
        return MaintenanceReport(
            self.name, context.corpus_id, dry_run, summary, 0, tuple(findings), tuple(bodies.notes)
        )


@dataclass(slots=True)
class _Bodies:
    """What was found about bodies."""

    findings: list[Finding] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)


def _short(digest: str) -> int:
    """The first 64 bits of a digest: enough to tell a corpus' bodies apart, in little memory."""
    return int(digest[:16], 16)


def _check_bodies(context: MaintenanceContext, progress: Progress) -> _Bodies:
    """Bodies named and absent are findings; those kept and not named only a note: a crawl stores the body
    first."""
    kept = {_short(digest) for digest in context.blobs.iter_digests()}
    named: set[int] = set()
    result = _Bodies()
    for n_done, (lru, digest) in enumerate(_named_bodies(context), 1):
        if n_done % _STEP == 0:
            progress("bodies", n_done, None)
        named.add(_short(digest))
        absent = _short(digest) not in kept and not context.blobs.has(digest)
        if absent and len(result.findings) < FINDINGS_LIMIT:
            result.findings.append(Finding(BODY_LAW, lru, "absent", digest))
    n_loose = len(kept - named)
    if n_loose:
        result.notes.append(f"{counted(n_loose, 'body', 'bodies')} kept that no fetch names")
    return result


def _named_bodies(context: MaintenanceContext) -> Iterator[tuple[str, str]]:
    for lru, fetch in context.structure.iter_digests():
        if fetch.digest:
            yield lru, fetch.digest


@maintenance_job
class Rebuild(MaintenanceJob):
    """Compute everything derived anew."""

    name = "rebuild"
    description = "Compute owners, nodes, aggregated links and counters anew from pages, links and prefixes."

    def run(self, context: MaintenanceContext, *, dry_run: bool, progress: Progress) -> MaintenanceReport:
        """What differed is in the findings, and put right unless `dry_run`."""
        progress("owners, nodes, links and counters", 0, None)
        findings = tuple(context.structure.rebuild(dry_run=dry_run))
        return MaintenanceReport(
            self.name, context.corpus_id, dry_run, _differed(findings, dry_run), len(findings), findings
        )


@maintenance_job
class UpdateLinks(MaintenanceJob):
    """Compute the links between entities and between nodes anew."""

    name = "update-links"
    description = (
        "Compute the links between web entities and between nodes anew from the page links. Owners and "
        "counters, on which they rest, are computed with them: it is `rebuild`, seen from the side of links."
    )

    def run(self, context: MaintenanceContext, *, dry_run: bool, progress: Progress) -> MaintenanceReport:
        """As `rebuild`, with the size of the network it leads to."""
        progress("links between web entities and between nodes", 0, None)
        findings = tuple(context.structure.rebuild(dry_run=dry_run))
        links = context.structure.web_entity_links()
        weight = sum(link.weight for link in links)
        network = f"{counted(len(links), 'web entity link')} of weight {weight} in all"
        summary = f"{_differed(findings, dry_run)}; {network}"
        return MaintenanceReport(self.name, context.corpus_id, dry_run, summary, len(findings), findings)


def _differed(findings: tuple[Finding, ...], dry_run: bool) -> str:
    if not findings:
        return "nothing differed"
    if dry_run:
        return f"{counted(len(findings), 'record')} to put right"
    return f"{counted(len(findings), 'record')} put right"
