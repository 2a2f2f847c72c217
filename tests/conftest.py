"""Fixtures of all tests."""

from __future__ import annotations

import logging
from collections.abc import Iterator

import pytest

from tests.mongodb_server import mongodb_server

__all__ = ["mongodb_server"]


@pytest.fixture(autouse=True)
def _same_log_level() -> Iterator[None]:
    """What a test makes of the level of the log is no matter of the next one."""
    root = logging.getLogger()
    level = root.level
    yield
    root.setLevel(level)
