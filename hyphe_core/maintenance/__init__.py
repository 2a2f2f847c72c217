"""Maintenance jobs: each is idempotent, can be tried dry, and is logged in its corpus."""

from hyphe_core.maintenance import duplicates, integrity, reaping, redirects, rules, texts, twins
from hyphe_core.maintenance.job import (
    DuplicateGroup,
    DuplicateKind,
    MaintenanceContext,
    MaintenanceJob,
    MaintenanceReport,
    MirrorPair,
    RedirectTrail,
    TwinForm,
    TwinGroup,
    get_maintenance_job,
    list_maintenance_jobs,
    open_context,
    run_maintenance,
)
from hyphe_core.maintenance.reaping import free_dead_workers

# The modules of jobs list themselves when they are imported.
JOB_MODULES = (integrity, rules, redirects, reaping, texts, twins, duplicates)

__all__ = [
    "JOB_MODULES",
    "DuplicateGroup",
    "DuplicateKind",
    "MaintenanceContext",
    "MaintenanceJob",
    "MaintenanceReport",
    "MirrorPair",
    "RedirectTrail",
    "TwinForm",
    "TwinGroup",
    "free_dead_workers",
    "get_maintenance_job",
    "list_maintenance_jobs",
    "open_context",
    "run_maintenance",
]
