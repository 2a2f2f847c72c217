"""Methods on files that hold whole corpora: backups, and what other programs wrote.

Clients name files by their bare names; they lie in `backups` of the data folder and nowhere else.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from threading import Lock
from typing import Final
from weakref import WeakKeyDictionary

from hyphe_core.api.automatic_backups import BACKUP_FOLDER, BACKUP_SUFFIX, backup_folder, stamp, write_backup
from hyphe_core.api.call import Call
from hyphe_core.api.corpus_making import corpus_of_plan
from hyphe_core.api.corpus_states import ready_state
from hyphe_core.api.failures import Refusal
from hyphe_core.api.json_values import JsonObject
from hyphe_core.api.methods import CORPUS, MethodGroup, Needs, Role
from hyphe_core.api.parameters import Flag, Mapping, Parameter, Text
from hyphe_core.api.passwords import hash_password
from hyphe_core.api.schemas import CORPUS_STATE, INTEGER, MESSAGE, TEXT, list_of, one_of_texts, record
from hyphe_core.clock import now
from hyphe_core.crawl.corpus_options import refuse_beyond_quota
from hyphe_core.maintenance.hyphe_import import import_plan
from hyphe_core.maintenance.hyphe_import_reading import read_files, read_texts
from hyphe_core.maintenance.hyphe_import_records import ImportOutcome, ImportPlan, ImportReport
from memory_structure.registry import CorpusEntry
from memory_structure.structure import MemoryStructure

methods = MethodGroup()
corpus_methods = MethodGroup("corpus")

_FILE_NAME: Final = re.compile(r"[A-Za-z0-9_][A-Za-z0-9._-]{0,199}|--hyphe--[A-Za-z0-9._-]{0,190}")
_MOST_LINES: Final = 10_000
# One file at a time: each takes a thread for long, and the disk.
_TURN: Final = Lock()
# The last backup of each open corpus, and at which version of it.
_LAST: Final[WeakKeyDictionary[MemoryStructure, tuple[int, Path]]] = WeakKeyDictionary()

BACKUP = record(
    {"file": TEXT, "size_bytes": INTEGER, "n_rows": INTEGER, "n_bodies": INTEGER, "n_lost_bodies": INTEGER}
)
BACKUP_FILES = list_of(record({"file": TEXT, "size_bytes": INTEGER, "written_at": INTEGER}))
IMPORTED = record(
    {
        "corpus_id": TEXT,
        "created": INTEGER,
        "known": INTEGER,
        "rules": INTEGER,
        "refused": INTEGER,
        "lines": list_of(record({"where": TEXT, "outcome": one_of_texts(*ImportOutcome), "message": TEXT})),
    }
)


# -- backup -----------------------------------------------------------------------------------------------


@methods.method(CORPUS, result=MESSAGE, returns="a confirmation that names the file", role=Role.CURATOR)
def backup_corpus(call: Call) -> str:
    """Write everything of a corpus into a new file in the folder `backups` of the service. When nothing has
    changed since the last one, that one stands."""
    structure = call.structure
    version, path = _LAST.get(structure, (-1, None))
    if path is None or version != structure.version() or not path.exists():
        path = Path(str(_back_up(call, _default_name(call.corpus))["file"]))
    return f"Corpus {call.corpus.corpus_id} stored in {BACKUP_FOLDER}/{path.name}"


@corpus_methods.method(
    Parameter("file", Text(max_chars=200), None, "name of a new file; by default id and moment"),
    CORPUS,
    result=BACKUP,
    returns="name and size of the file, and what it holds; lost bodies are named by pages and unreadable",
    role=Role.CURATOR,
)
def backup(call: Call, file: str | None) -> JsonObject:
    """Write everything of a corpus (pages, links, bodies, entities, tags, rules, jobs, history, options) but
    its secrets into a file of the folder `backups`, as it is at one moment, while work goes on."""
    return _back_up(call, file or _default_name(call.corpus))


def _default_name(entry: CorpusEntry) -> str:
    return f"{entry.corpus_id}-{stamp(now())}{BACKUP_SUFFIX}"


def _back_up(call: Call, name: str) -> JsonObject:
    path = _path(call, name)
    if path.exists():
        raise Refusal(f"there is a file {name} already")
    structure = call.structure
    with _turn():
        version = structure.version()
        report = write_backup(call.registry, call.corpus.corpus_id, path)
    _LAST[structure] = (version, path)
    return {
        "file": name,
        "size_bytes": path.stat().st_size,
        "n_rows": report.n_rows,
        "n_bodies": report.n_bodies,
        "n_lost_bodies": report.n_lost_bodies,
    }


@contextmanager
def _turn() -> Iterator[None]:
    if not _TURN.acquire(blocking=False):
        raise Refusal("another corpus is being written to a file or read from one; try again later")
    try:
        yield
    finally:
        _TURN.release()


def _path(call: Call, name: str) -> Path:
    """The file of that name in the folder. Refuses whatever could lead elsewhere."""
    path = backup_folder(call.config) / name
    if not _FILE_NAME.fullmatch(name) or path.is_symlink():
        raise Refusal(
            f"{name[:200]!r} is no name of a file: letters, digits, dots, dashes and underscores, no folders"
        )
    return path


def _present(call: Call, name: str) -> Path:
    path = _path(call, name)
    if not path.exists():
        raise Refusal(f"there is no file {name} in the folder {BACKUP_FOLDER} of the service")
    return path


@corpus_methods.method(
    result=BACKUP_FILES, returns="a list, the newest first", needs=Needs.NONE, role=Role.ADMIN
)
def list_backups(call: Call) -> list[JsonObject]:
    """List the files of the folder `backups`."""
    files = [
        path
        for path in backup_folder(call.config).iterdir()
        if path.is_file() and not path.name.startswith(".")
    ]
    found = [(path.stat(), path.name) for path in files]
    found.sort(key=lambda each: (-each[0].st_mtime, each[1]))
    return [
        {"file": name, "size_bytes": stat.st_size, "written_at": int(stat.st_mtime * 1000)}
        for stat, name in found
    ]


@corpus_methods.method(
    Parameter("file", Text(max_chars=200), doc="name of a file in the folder `backups`"),
    Parameter("name", Text(max_chars=200), None, "name of the new corpus; by default that of the old one"),
    Parameter("password", Text(max_chars=1000), "", "password of the new corpus; empty for none"),
    result=CORPUS_STATE,
    returns="the state of the new corpus, started",
    needs=Needs.NONE,
    role=Role.ADMIN,
)
def restore(call: Call, file: str, name: str | None, password: str) -> JsonObject:
    """Make a new corpus of a backup, whole or not at all. Crawl jobs that had not ended are paused. A backup
    holds no password. One of a protected corpus is restored here only by who gave the administrator's
    password, else with the command line."""
    refuse_beyond_quota(call.config, call.registry)
    path = _present(call, file)
    with _turn(), path.open("rb") as stream:
        if call.registry.describe_backup(stream).is_protected and not call.config.admin_password:
            raise Refusal(f"{file} is of a corpus with a password: restore it with `hyphe corpus restore`")
        entry = call.registry.restore_corpus(stream, name=name, password_hash=hash_password(password))
    return _opened(call, entry)


def _opened(call: Call, entry: CorpusEntry) -> JsonObject:
    call.registry.set_started(entry.corpus_id, True)
    if entry.password_hash:
        call.granted_token = call.service.sessions.grant(
            call.caller.token, corpus_id=entry.corpus_id, proof=entry.password_hash
        )
    return ready_state(entry)


# -- import -----------------------------------------------------------------------------------------------


_FILES = Parameter("files", Mapping(), {}, "file name -> its content, as text or JSON")
_FILE = Parameter("file", Text(max_chars=200), None, "instead: a file or folder in the folder `backups`")
_JOIN = Parameter("join_twins", Flag(), True, "entities that differ in http and https alone are one")


@corpus_methods.method(
    _FILES,
    _FILE,
    Parameter("name", Text(max_chars=200), None, "name of the new corpus; by default what the files say"),
    Parameter("password", Text(max_chars=1000), "", "password of the new corpus; empty for none"),
    _JOIN,
    result=IMPORTED,
    returns="numbers of entities created, known already, of rules, of lines refused; what became of lines",
    needs=Needs.NONE,
    role=Role.CURATOR,
    name="import",
)
def import_(
    call: Call, files: JsonObject, file: str | None, name: str | None, password: str, join_twins: bool
) -> JsonObject:
    """Make a corpus of what Hyphe's backup_corpus wrote, or of a list of web entities (CSV or JSON, of Hyphe
    or of this program): prefixes, names, statuses, tags, start pages, home pages, notes, rules, options."""
    entry, report = corpus_of_plan(
        call.registry,
        call.config,
        _plan(call, files, file),
        name,
        password_hash=hash_password(password),
        join_twins=join_twins,
    )
    _opened(call, entry)
    return _imported(entry, report)


@corpus_methods.method(
    _FILES,
    _FILE,
    _JOIN,
    CORPUS,
    result=IMPORTED,
    returns="as corpus.import",
    role=Role.CURATOR,
)
def import_into(call: Call, files: JsonObject, file: str | None, join_twins: bool) -> JsonObject:
    """Import web entities and rules as corpus.import does, into a corpus that exists. Entities that are there
    are completed; importing the same again changes nothing."""
    return _imported(
        call.corpus, import_plan(call.structure, _plan(call, files, file), join_twins=join_twins)
    )


def _plan(call: Call, files: JsonObject, file: str | None) -> ImportPlan:
    if file is None:
        if not files:
            raise Refusal("give files to import, or the name of one")
        texts = {
            n: content if isinstance(content, str) else json.dumps(content) for n, content in files.items()
        }
        return read_texts(texts)
    if not call.service.may(Role.ADMIN, call.caller, None):
        raise Refusal("files of the service are imported by its administrator; send their content instead")
    return read_files(_present(call, file))


def _imported(entry: CorpusEntry, report: ImportReport) -> JsonObject:
    return {
        "corpus_id": entry.corpus_id,
        "created": report.n_created,
        "known": report.n_known,
        "rules": report.n_rules,
        "refused": report.n_refused,
        "lines": [
            {"where": line.where, "outcome": line.outcome.value, "message": line.message}
            for line in report.lines[:_MOST_LINES]
        ],
    }
