"""Backups that the service writes by itself: of each corpus that changed, every few days; the newest are
kept."""

from __future__ import annotations

import logging
import re
from datetime import datetime, timedelta
from pathlib import Path
from typing import Final, NamedTuple

from hyphe_core.clock import now
from hyphe_core.config import Config, program_version
from hyphe_core.errors import CallerFault
from hyphe_core.exports import open_output
from memory_structure.errors import MemoryStructureError
from memory_structure.registry import BackupReport, CorpusEntry, Registry

BACKUP_FOLDER: Final = "backups"
BACKUP_SUFFIX: Final = ".hyphe.zip"
_log = logging.getLogger(__name__)


class _Backup(NamedTuple):
    """An automatic backup: when it was begun, and the version of the store it holds at least."""

    written_at: str
    version: int
    path: Path


def backup_folder(config: Config) -> Path:
    """The folder of backups, made when absent; for nobody else to read."""
    folder = config.data_dir / BACKUP_FOLDER
    folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    return folder


def stamp(moment: datetime) -> str:
    """A moment as names of backups have it; text order is time order."""
    return f"{moment:%Y%m%dT%H%M%S%f}Z"


def write_backup(registry: Registry, corpus_id: str, path: Path) -> BackupReport:
    """Write a backup under a name where it is whole or not at all."""
    with open_output(path) as stream:
        return registry.backup_corpus(corpus_id, stream, written_by=f"hyphe-crawler {program_version()}")


def back_up_due(registry: Registry, config: Config) -> list[Path]:
    """Back up what changed and has no backup of the last `backup_days`; the files written. One corpus that
    cannot be backed up is logged and holds up no other."""
    if not config.backup_days:
        return []
    written = []
    for entry in registry.list_corpora():
        try:
            path = _back_up(registry, config, entry)
        except (MemoryStructureError, CallerFault, OSError) as error:
            _log.error("corpus %s was not backed up: %s", entry.corpus_id, error)
            continue
        if path is not None:
            written.append(path)
    return written


def _back_up(registry: Registry, config: Config, entry: CorpusEntry) -> Path | None:
    folder, moment = backup_folder(config), now()
    known = _automatic(folder, entry.corpus_id)
    version = registry.open_structure(entry.corpus_id).version()
    if known and known[-1].version == version:
        return None
    if known and known[-1].written_at > stamp(moment - timedelta(days=config.backup_days)):
        return None
    path = folder / f"{entry.corpus_id}-auto-{stamp(moment)}-v{version}{BACKUP_SUFFIX}"
    write_backup(registry, entry.corpus_id, path)
    _log.info("corpus %s is backed up in %s", entry.corpus_id, path.name)
    for old in known[: len(known) + 1 - config.n_backups]:
        old.path.unlink(missing_ok=True)
    return path


def _automatic(folder: Path, corpus_id: str) -> list[_Backup]:
    """The automatic backups of a corpus, oldest first."""
    name = re.compile(rf"{re.escape(corpus_id)}-auto-(\d{{8}}T\d{{12}}Z)-v(\d+){re.escape(BACKUP_SUFFIX)}")
    found = ((name.fullmatch(path.name), path) for path in folder.iterdir())
    return sorted(_Backup(match[1], int(match[2]), path) for match, path in found if match is not None)
