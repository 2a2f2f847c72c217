"""Fixtures of all tests."""

from __future__ import annotations

from tests.mongodb_server import mongodb_server

__all__ = ["mongodb_server"]
