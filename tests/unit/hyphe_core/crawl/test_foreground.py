"""What the log says of the jobs of a foreground crawl."""

from __future__ import annotations

import logging
from pathlib import Path

import pytest

from hyphe_core.config import load_config
from hyphe_core.crawl.foreground import log_ends, prepare_crawls
from memory_structure.opening import open_registry
from memory_structure.records import EndReason, JobState


def test_a_failed_job_is_an_error_and_a_waiting_one_is_not(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    registry = open_registry(tmp_path)
    urls = ["http://one.example.com/", "http://two.example.org/"]
    jobs = prepare_crawls(registry, load_config(None, {}), urls, corpus="c")
    structure = registry.open_structure("c")
    structure.move_job(1, JobState.RUNNING, reason="running")
    structure.move_job(1, JobState.FAILED, end=EndReason.FAULT, reason="the store failed: no space left")
    with caplog.at_level(logging.INFO):
        log_ends(registry, [*jobs, ("c", 99)])
    registry.close()
    failed, waiting, absent = [record for record in caplog.records if "of corpus c" in record.getMessage()]
    assert failed.levelno == logging.ERROR
    assert "job 1 of corpus c failed: the store failed: no space left (pages: 0, errors: 0)" in failed.message
    assert (waiting.levelno, absent.levelno) == (logging.INFO, logging.ERROR)
    assert "pending" in waiting.message
    assert "cannot be read" in absent.message
