"""Runs a target on inputs made from a seed, and notes what is a finding.

Each input is seen before it is run: a process that a document ends or holds up leaves it in a file.
"""

from __future__ import annotations

import gc
import hashlib
import os
import resource
import time
import traceback
from dataclasses import dataclass, field
from pathlib import Path
from random import Random

from tests.fuzz.inputs import Input
from tests.fuzz.mutations import MIB
from tests.fuzz.targets import Target, list_children

MAX_CPU_SECONDS = 1.0
"""For one input; for larger ones than 1 MiB, per MiB."""
MAX_GROWTH_BYTES = 200 * MIB
_PAGE_BYTES, _TICKS = os.sysconf("SC_PAGE_SIZE"), os.sysconf("SC_CLK_TCK")
# Caches of the parsers fill first.
_N_WARMING = 300
_MAX_FINDINGS = 30


@dataclass(frozen=True)
class Finding:
    """An input that did what none may do: what, in one line, and where."""

    target: str
    what: str
    given: Input


@dataclass
class Report:
    """What came of a run. Slowest input in CPU seconds, and per MiB among inputs of 64 KiB or more."""

    target: str
    n_inputs: int = 0
    n_bytes: int = 0
    seconds: float = 0.0
    slowest_seconds: float = 0.0
    slowest_bytes: int = 0
    slowest_per_mib: float = 0.0
    growth_bytes: int = 0
    peak_bytes: int = 0
    findings: list[Finding] = field(default_factory=list)

    def __str__(self) -> str:
        return (
            f"{self.target}: {self.n_inputs} inputs, {self.n_bytes / MIB:.0f} MiB,"
            f" {self.seconds / 60:.1f} minutes,"
            f" slowest {self.slowest_seconds:.2f} s ({self.slowest_bytes} bytes),"
            f" {self.slowest_per_mib:.2f} s per MiB, growth {self.growth_bytes / MIB:.0f} MiB"
            f" (peak {self.peak_bytes / MIB:.0f} MiB), findings {len(self.findings)}"
        )


def run(
    target: Target,
    seed: int,
    seconds: float,
    current: Path | None = None,
    max_cpu_seconds: float = MAX_CPU_SECONDS,
    max_inputs: int | None = None,
) -> Report:
    """Fuzz a target for so long, or with so many inputs. `current` receives each input before it is run."""
    report = Report(target.name)
    rng = Random(f"{seed} {target.name}")
    started, base, seen = time.monotonic(), 0, set[str]()
    while (now := time.monotonic() - started) < seconds and len(report.findings) < _MAX_FINDINGS:
        if max_inputs is not None and report.n_inputs >= max_inputs:
            break
        given = target.make(rng)
        if current is not None:
            current.write_text(given.to_text())
        what = try_input(target, given, report, max_cpu_seconds)
        if what is not None and what not in seen:
            seen.add(what)
            report.findings.append(Finding(target.name, what, given))
        report.seconds = now
        if report.n_inputs == _N_WARMING:
            base = resident_bytes()
        elif base and report.n_inputs % 100 == 0:
            report.growth_bytes = max(report.growth_bytes, resident_bytes() - base)
    _note_growth(report, base)
    return report


def try_input(
    target: Target, given: Input, report: Report | None = None, max_cpu_seconds: float = MAX_CPU_SECONDS
) -> str | None:
    """What the input did that none may do; None when all is well."""
    before = _cpu_seconds()
    what: str | None = None
    try:
        target.check(given)
    except Exception as error:
        what = _describe(error)
    took = _cpu_seconds() - before
    if what is None and took > max_cpu_seconds * max(1.0, len(given.body) / MIB):
        much = "seconds" if took < 10 else "tens of seconds"
        what = f"slow: {much} for a length of {len(given.body).bit_length()} bits"
    if report is not None:
        _note(report, len(given.body), took)
    return what


def _note(report: Report, n_bytes: int, took: float) -> None:
    report.n_inputs += 1
    report.n_bytes += n_bytes
    if took > report.slowest_seconds:
        report.slowest_seconds, report.slowest_bytes = took, n_bytes
    if n_bytes >= MIB // 16:
        report.slowest_per_mib = max(report.slowest_per_mib, took / n_bytes * MIB)


def _note_growth(report: Report, base: int) -> None:
    gc.collect()
    report.peak_bytes = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024
    if not base:
        return
    report.growth_bytes = max(report.growth_bytes, resident_bytes() - base)
    if report.growth_bytes > MAX_GROWTH_BYTES:
        report.findings.append(
            Finding(report.target, f"grew by {report.growth_bytes // MIB} MiB", Input(b""))
        )


def _describe(error: Exception) -> str:
    """The error, and the last line of our code that it passed."""
    frames = traceback.extract_tb(error.__traceback__)
    ours = [
        frame
        for frame in frames
        if "/hyphe_core/" in frame.filename or "/memory_structure/" in frame.filename
    ]
    frame = (ours or frames)[-1]
    text = " ".join(str(error).split())[:160]
    return f"{type(error).__name__} at {Path(frame.filename).name}:{frame.lineno}: {text}"


def _cpu_seconds() -> float:
    """What this process used, and its children."""
    used = time.process_time()
    for pid in list_children():
        fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
        used += (int(fields[11]) + int(fields[12])) / _TICKS
    return used


def resident_bytes() -> int:
    """Memory of this process and its children that is in RAM."""
    pids = ["self", *map(str, list_children())]
    return sum(int(Path(f"/proc/{pid}/statm").read_text().split()[1]) for pid in pids) * _PAGE_BYTES


def name_of(finding: Finding) -> str:
    """A file name for the input of a finding."""
    digest = hashlib.sha256(finding.given.to_text().encode()).hexdigest()[:8]
    return f"{finding.target}-{digest}.txt"


def minimised(target: Target, finding: Finding, seconds: float = 20.0) -> Finding:
    """The finding with a smaller input that does the same thing, as small as so many seconds allow."""
    kind = finding.what.partition(":")[0]
    deadline = time.monotonic() + seconds
    body = finding.given.body
    step = max(1, len(body) // 2)
    while step and time.monotonic() < deadline:
        at = 0
        while at < len(body) and time.monotonic() < deadline:
            smaller = Input(body[:at] + body[at + step :], finding.given.note)
            what = try_input(target, smaller)
            if what is not None and what.partition(":")[0] == kind:
                body = smaller.body
            else:
                at += step
        step //= 2
    return Finding(finding.target, finding.what, Input(body, finding.given.note))
