"""Fixtures of all tests."""

from __future__ import annotations

import logging
import os
from collections.abc import Iterator

import hypothesis
import pytest

from tests.mongodb_server import mongodb_server

__all__ = ["mongodb_server"]


# The same examples on every machine; HYPOTHESIS_PROFILE=random looks for others.
hypothesis.settings.register_profile("same", derandomize=True)
hypothesis.settings.register_profile("random")
hypothesis.settings.load_profile(os.environ.get("HYPOTHESIS_PROFILE", "same"))


@pytest.fixture(autouse=True)
def _same_log_level() -> Iterator[None]:
    """What a test makes of the level of the log is no matter of the next one."""
    root = logging.getLogger()
    level = root.level
    yield
    root.setLevel(level)
