"""A service that crawls the demo's local web, reached through a proxy, for clients to work with."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterator

import pytest

from tests.service.service_process import ROOT, ServiceProcess

SETTINGS = {"n_workers": 1, "delay_seconds": 0, "n_retries": 0}


@pytest.fixture(scope="session")
def demo_web() -> Iterator[str]:
    """The address of the proxy behind which the local web lies."""
    process = subprocess.Popen(
        [sys.executable, "-m", "hyphe_core.demo.web", "--port", "0"],
        stdout=subprocess.PIPE, text=True, cwd=ROOT,
    )  # fmt: skip
    assert process.stdout is not None
    yield f"http://127.0.0.1:{int(process.stdout.readline().split()[-1])}"
    process.kill()
    process.wait()


@pytest.fixture(scope="module")
def service(demo_web: str, tmp_path_factory: pytest.TempPathFactory) -> Iterator[ServiceProcess]:
    """As installed."""
    process = ServiceProcess(tmp_path_factory.mktemp("service"), proxy=demo_web, **SETTINGS)
    yield process
    process.stop()


@pytest.fixture(scope="module")
def compatible_service(demo_web: str, tmp_path_factory: pytest.TempPathFactory) -> Iterator[ServiceProcess]:
    """Open after start, to any origin."""
    folder = tmp_path_factory.mktemp("compatible")
    process = ServiceProcess(folder, proxy=demo_web, hyphe_compatible_access="true", **SETTINGS)
    yield process
    process.stop()
