"""What the commands of one run share: the global options, the configuration, the registry."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import typer

from hyphe_core.config import Config, LoadedConfig, find_config_file, load_config_with_sources
from memory_structure.registry import Registry


@dataclass(frozen=True, slots=True)
class Session:
    """The global options as given; None = not given."""

    data_dir: Path | None = None
    mongodb_uri: str | None = None
    config_file: Path | None = None
    debug: bool = False

    def load(self, overrides: Mapping[str, object] | None = None) -> LoadedConfig:
        """The configuration with the global options and those of a command. Raises ConfigError."""
        flags: dict[str, object] = {"data_dir": self.data_dir, "mongodb_uri": self.mongodb_uri}
        file = self.config_file or find_config_file(os.environ)
        return load_config_with_sources(file, os.environ, flags | dict(overrides or {}))

    def config(self, overrides: Mapping[str, object] | None = None) -> Config:
        """As `load`, the configuration alone."""
        return self.load(overrides).config


def session_of(context: typer.Context) -> Session:
    """The session of a command."""
    session = context.find_root().obj
    return session if isinstance(session, Session) else Session()


@contextmanager
def opened_registry(config: Config) -> Iterator[Registry]:
    """The registry the configuration names, closed at the end. Raises StoreError."""
    from memory_structure.opening import open_registry

    registry = open_registry(config.data_dir, config.mongodb_uri, config.blob_url)
    try:
        yield registry
    finally:
        registry.close()
