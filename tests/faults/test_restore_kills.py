"""A restore that is killed leaves no half corpus; the next one works, and the remains are swept."""

from __future__ import annotations

import hashlib
import io
import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from hyphe_core.exports import ExportRequest
from memory_structure.corpus_records import CorpusOptions
from memory_structure.opening import open_registry
from memory_structure.stored.registry import StoredRegistry
from memory_structure.stored.schema import UNFINISHED
from tests.corpus_cases import SPEC, batch, lru, page
from tests.export_cases import ALL_REQUESTS, exported

ROOT = Path(__file__).resolve().parents[2]

# Tells each step of the restore on a line of its own, and waits there for an answer.
_PROGRAM = """
import sys
from pathlib import Path
from memory_structure.opening import open_registry
def stop(what, done):
    print(what, done, flush=True)
    sys.stdin.readline()
registry = open_registry(Path(sys.argv[1]))
with open(sys.argv[2], "rb") as file:
    registry.restore_corpus(file, name="half", progress=stop)
"""


@pytest.fixture(scope="module")
def backup(tmp_path_factory: pytest.TempPathFactory) -> bytes:
    registry = open_registry(tmp_path_factory.mktemp("origin"))
    registry.create_corpus("origin", CorpusOptions(precision_limit=1))
    structure = registry.open_structure("origin")
    structure.create_job(SPEC)
    structure.add_log("CRAWL_ADDED", "by a test")
    for n in range(20):
        structure.write_batch(batch(page(lru(f"s{n}.com", "p"), lru(f"s{n + 1}.com"), text=f"text {n}")))
    registry.open_blobs("origin").put_many(
        [(hashlib.sha256(bytes([n])).hexdigest(), bytes([n])) for n in range(9)]
    )
    file = io.BytesIO()
    registry.backup_corpus("origin", file)
    registry.close()
    return file.getvalue()


@pytest.mark.parametrize("last_step", ["state", "pages", "nodes", "logs", "bodies"])
def test_a_killed_restore_leaves_nothing_that_counts(tmp_path: Path, backup: bytes, last_step: str) -> None:
    (tmp_path / "backup.zip").write_bytes(backup)
    data_dir = tmp_path / "data"
    open_registry(data_dir).close()
    _kill_at(last_step, data_dir, tmp_path / "backup.zip")

    registry = open_registry(data_dir)
    assert isinstance(registry, StoredRegistry)
    assert registry.list_corpora() == []
    remains = [row[0] for row in registry._storage.scan(UNFINISHED)]
    assert remains == ["half"]
    entry = registry.restore_corpus(io.BytesIO(backup), name="half")
    structure = registry.open_structure(entry.corpus_id)
    assert structure.check() == []
    assert structure.counters().n_pages == 40
    expected = [exported(registry, "half", ExportRequest(*request)) for request in ALL_REQUESTS]
    assert registry._stores.sweep(idle_seconds=0.0) == remains
    registry.close()

    assert not (data_dir / "corpora" / "half").exists()
    registry = open_registry(data_dir)
    assert [exported(registry, "half", ExportRequest(*request)) for request in ALL_REQUESTS] == expected
    registry.close()


def _kill_at(step: str, data_dir: Path, file: Path) -> None:
    """Let a child restore until it tells that step, then end it without warning."""
    child = subprocess.Popen(
        [sys.executable, "-c", _PROGRAM, str(data_dir), str(file)],
        cwd=ROOT,
        env=os.environ | {"PYTHONPATH": str(ROOT)},
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    )
    assert child.stdout is not None
    assert child.stdin is not None
    try:
        for line in child.stdout:
            if line.split()[0] == step:
                break
            child.stdin.write("\n")
            child.stdin.flush()
        else:
            raise AssertionError(f"the restore never came to {step}")
        child.send_signal(signal.SIGKILL)
    finally:
        child.kill()
        child.wait()


def test_a_living_restore_is_not_swept(tmp_path: Path) -> None:
    registry = open_registry(tmp_path)
    assert isinstance(registry, StoredRegistry)
    with registry._stores.making("slow") as store:
        registry._stores.open_database(store, False).close()
        registry.purge_destroyed()
        assert (tmp_path / "corpora" / "slow").exists()
    registry.close()
