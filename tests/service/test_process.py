"""The process: ready, ended by a signal, port in use, jobs reconciled at start, workers supervised."""

from __future__ import annotations

import os
import signal
import socket
import time
from pathlib import Path

import psutil
import pytest

from memory_structure.corpus_records import CorpusOptions
from memory_structure.opening import open_registry
from memory_structure.records import (
    JobSpec,
    JobState,
)
from tests.service.service_process import Client, ServiceDied, ServiceProcess, wait_until


@pytest.mark.parametrize("signal_number", [signal.SIGTERM, signal.SIGINT])
def test_a_signal_ends_it_in_order(tmp_path: Path, signal_number: signal.Signals) -> None:
    service = ServiceProcess(tmp_path)
    service.client().call("create_corpus", "Kept")
    service.child.send_signal(signal_number)
    assert service.child.wait(10) == 0
    assert "Traceback" not in service.log_path.read_text()
    again = ServiceProcess(tmp_path)
    assert again.client().call("test_corpus", "kept")["ready"] is True
    again.stop()


def test_a_port_in_use_is_told_in_one_line(tmp_path: Path) -> None:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        port = taken.getsockname()[1]
        with pytest.raises(ServiceDied) as caught:
            ServiceProcess(tmp_path, port=port)
    assert caught.value.code == 1
    assert caught.value.log.strip().count("\n") == 0
    assert str(port) in caught.value.log


def test_an_address_of_another_machine_is_told_in_one_line(tmp_path: Path) -> None:
    with pytest.raises(ServiceDied) as caught:
        ServiceProcess(tmp_path, host="192.0.2.1")
    assert caught.value.code == 1
    assert "192.0.2.1" in caught.value.log


def test_jobs_that_nobody_holds_go_back_to_the_queue(tmp_path: Path) -> None:
    registry = open_registry(tmp_path)
    registry.create_corpus("Left", CorpusOptions())
    structure = registry.open_structure("left")
    structure.declare_pages(["s:http|h:com|h:x|"])
    spec = JobSpec(1, ("http://x.com/",), ("s:http|h:com|h:x|",))
    lost, held, ended = (structure.create_job(spec).job_id for _ in range(3))
    for job_id in (held, ended):
        registry.enqueue("left", job_id, [])
    assert [e.job_id for e in registry.claim_jobs("worker-1", 1, 3600)] == [held]
    registry.beat("worker-1", socket.gethostname(), _dead_pid(), 3600)
    for job_id in (lost, held, ended):
        structure.move_job(job_id, JobState.RUNNING)
    structure.move_job(ended, JobState.FINISHED)
    registry.close()

    service = ServiceProcess(tmp_path)
    registry = open_registry(tmp_path)
    wait_until(lambda: {(e.job_id, e.worker_id) for e in registry.list_queue()} == {(lost, ""), (held, "")})
    registry.close()
    service.stop()


def _dead_pid() -> int:
    pid = os.fork()
    if not pid:
        os._exit(0)
    os.waitpid(pid, 0)
    return pid


def test_a_killed_worker_is_started_again_and_all_end_with_the_service(tmp_path: Path) -> None:
    service = ServiceProcess(tmp_path, n_workers=1)
    (worker,) = wait_until(lambda: _children(service))
    worker.kill()
    wait_until(lambda: [c for c in _children(service) if c.pid != worker.pid], 30)
    (worker,) = _children(service)
    wait_until(lambda: worker.nice() >= 10, 30)
    started = time.monotonic()
    assert service.stop() == 0
    assert time.monotonic() - started < 15
    assert not worker.is_running()


def _children(service: ServiceProcess) -> list[psutil.Process]:
    found = psutil.Process(service.child.pid).children()
    return [child for child in found if child.status() != psutil.STATUS_ZOMBIE]


def test_a_broken_corpus_does_not_keep_the_others_from_being_served(tmp_path: Path) -> None:
    registry = open_registry(tmp_path)
    for name in ("Sound", "Broken"):
        registry.create_corpus(name, CorpusOptions())
        registry.set_started(name.lower(), True)
    registry.close()
    for file in (tmp_path / "corpora" / "broken").glob("corpus.sqlite*"):
        file.write_bytes(b"no database" * 1000)
    service = ServiceProcess(tmp_path)
    client: Client = service.client()
    assert client.call("store.get_webentities", corpus="sound")["total_results"] == 0
    answer = client.envelope("store.get_webentities", corpus="broken")
    assert answer["code"] == "fail"
    assert set(client.call("list_corpus")) == {"sound", "broken"}
    assert client.call("list_corpus")["broken"]["status"] == "error"
    assert client.call("get_status", "broken")["corpus"]["status"] == "error"
    assert str(tmp_path) not in str(answer)
    service.stop()
