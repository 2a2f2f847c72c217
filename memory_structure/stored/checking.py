"""Check and rebuild."""

from __future__ import annotations

from memory_structure.records import Finding
from memory_structure.stored.job_store import JobStore


class Checking(JobStore):
    """Laws of a corpus."""

    def check(self, limit: int = 100) -> list[Finding]:
        """Prove the laws."""
        return []

    def rebuild(self, *, dry_run: bool = False) -> list[Finding]:
        """Compute derived data anew."""
        return []
