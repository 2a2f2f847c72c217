"""Command lines run in this process, on data folders of their own."""

from __future__ import annotations

import os

import pytest

from hyphe_core.cli.application import run
from memory_structure.opening import open_registry
from tests.export_cases import fill


@pytest.fixture
def clean_environment(monkeypatch, tmp_path):
    for name in [name for name in os.environ if name.startswith("HYPHE_")]:
        monkeypatch.delenv(name)
    monkeypatch.chdir(tmp_path)


@pytest.fixture
def hyphe(clean_environment, tmp_path, capfd):
    """Runs a command line on a data folder of its own; (exit code, standard output, standard error)."""

    def call(*arguments):
        code = run([*arguments, "--data-dir", str(tmp_path / "data")])
        return (code, *capfd.readouterr())

    return call


@pytest.fixture
def corpus(tmp_path):
    registry = open_registry(tmp_path / "data")
    corpus_id = fill(registry)
    registry.close()
    return corpus_id
