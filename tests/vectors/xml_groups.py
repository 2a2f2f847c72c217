"""Adapters of the groups about XML."""

from __future__ import annotations

from collections.abc import Mapping

from tests.vectors.cases import Adapter

ADAPTERS: Mapping[str, Adapter] = {}
