"""What a running service opens to the outside, and what starting it does to stored data."""

from __future__ import annotations

from pathlib import Path

import pytest

from hyphe_core.config import Config
from memory_structure.opening import open_registry
from memory_structure.registry import Registry
from tests.security.conftest import OPEN, OTHER, PROTECTED, make_corpora
from tests.service.service_process import Client, ServiceProcess

_LISTENING = "0A"


def listening(pid: int) -> list[str]:
    """Addresses (hexadecimal, with port) at which a process and its children listen."""
    wanted = {link for each in _family(pid) for link in _sockets(each)}
    found = []
    for table in ("tcp", "tcp6", "udp", "udp6"):
        for line in Path(f"/proc/net/{table}").read_text().splitlines()[1:]:
            fields = line.split()
            bound_udp = table.startswith("udp") and fields[3] == "07"
            if fields[9] in wanted and (fields[3] == _LISTENING or bound_udp):
                found.append(fields[1])
    return found


def _family(pid: int) -> list[int]:
    children = [int(each) for each in Path(f"/proc/{pid}/task/{pid}/children").read_text().split()]
    return [pid] + [each for child in children for each in _family(child)]


def _sockets(pid: int) -> list[str]:
    links = []
    for entry in Path(f"/proc/{pid}/fd").iterdir():
        try:
            target = str(entry.readlink())
        except OSError:
            continue
        if target.startswith("socket:["):
            links.append(target[8:-1])
    return links


def test_one_port_on_this_machine_alone_is_open(tmp_path: Path) -> None:
    """With a worker: nothing but the service takes calls, and no port takes code."""
    started = ServiceProcess(tmp_path, n_workers=1)
    found = listening(started.child.pid)
    assert [(address[:8], int(address[9:], 16)) for address in found] == [("0100007F", started.port)]
    started.stop()
    assert Config().host == "127.0.0.1"


@pytest.mark.parametrize(
    "path", ["/addversion.json", "/schedule.json", "/listprojects.json", "/upload", "/debug"]
)
def test_no_path_takes_code_or_files(client: Client, path: str) -> None:
    """Every path is the API and nothing else."""
    for method in ("GET", "PUT", "PATCH"):
        assert client.send(b"import os", method, path).status == 405
    answer = client.send(b"PK\x03\x04 an egg", "POST", path, Content_Type="application/octet-stream")
    assert answer.json["error"]["code"] == -32700


def held(registry: Registry, corpus_id: str) -> tuple[object, ...]:
    structure = registry.open_structure(corpus_id)
    entities = structure.list_web_entities()
    return structure.counters(), entities, structure.list_acts(), structure.list_jobs(), structure.options()


def test_starting_the_service_changes_no_corpus(tmp_path: Path) -> None:
    """It tests itself elsewhere: no corpus is made, opened or destroyed at a start."""
    registry = open_registry(tmp_path)
    make_corpora(registry)
    registry.set_started(OTHER, False)
    before = registry.list_corpora()
    contents = [held(registry, entry.corpus_id) for entry in before]
    registry.close()
    folders = sorted(path.name for path in (tmp_path / "corpora").iterdir())
    started = ServiceProcess(tmp_path, n_workers=1)
    started.client().call("ping")
    started.stop()
    registry = open_registry(tmp_path)
    assert registry.list_corpora() == before
    assert [held(registry, entry.corpus_id) for entry in before] == contents
    registry.close()
    assert sorted(path.name for path in (tmp_path / "corpora").iterdir()) == folders
    assert {entry.corpus_id for entry in before} == {OPEN, PROTECTED, OTHER}


def test_the_data_of_a_service_is_for_its_owner_alone(tmp_path: Path) -> None:
    """Backups are written where no other account of the machine looks."""
    started = ServiceProcess(tmp_path)
    client = started.client()
    corpus = client.call("create_corpus", "Mine")["corpus_id"]
    client.call("corpus.backup", "mine.hyphe.zip", corpus)
    started.stop()
    assert (tmp_path / "backups").stat().st_mode & 0o077 == 0
