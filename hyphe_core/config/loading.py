"""Where a configuration comes from: defaults < TOML file < `HYPHE_*` environment < flags.

The faults of all sources are reported together.
"""

from __future__ import annotations

import os
import tomllib
from collections.abc import Iterator, Mapping
from enum import StrEnum
from pathlib import Path
from typing import NamedTuple

from hyphe_core.config.describing import ENVIRONMENT_PREFIX
from hyphe_core.config.fields import Config, honest_user_agent, list_settings
from hyphe_core.errors import ConfigError, nearest_name

# Names under our prefix that are not settings: where the file is, and what test suites use.
CONFIG_FILE_VARIABLE = "HYPHE_CONFIG"
_OTHER_VARIABLES = ("HYPHE_TEST_", "HYPHE_BENCH_", "HYPHE_INTERNAL_")

DEFAULT_FILE_NAME = "hyphe.toml"


class Source(StrEnum):
    """Where the value of a setting comes from."""

    DEFAULT = "default"
    FILE = "file"
    ENVIRONMENT = "environment"
    FLAG = "flag"


class LoadedConfig(NamedTuple):
    """A configuration, the file it was read from (None without one), and where each setting comes from."""

    config: Config
    file: Path | None
    sources: Mapping[str, Source]


def find_config_file(environ: Mapping[str, str], folder: Path | None = None) -> Path | None:
    """The file to read when no flag names one: that of HYPHE_CONFIG, else hyphe.toml of the folder."""
    named = environ.get(CONFIG_FILE_VARIABLE, "").strip()
    if named:
        return Path(named).expanduser()
    here = (folder or Path.cwd()) / DEFAULT_FILE_NAME
    return here if here.is_file() else None


def load_config(
    file: Path | None = None,
    environ: Mapping[str, str] = os.environ,
    overrides: Mapping[str, object] | None = None,
) -> Config:
    """The configuration made of defaults < file < environment < overrides (flags; None = not given).

    Raises ConfigError with the faults of all sources at once: unknown names (with the nearest known one),
    values outside what is accepted, an unreadable file.
    """
    return load_config_with_sources(file, environ, overrides).config


def load_config_with_sources(
    file: Path | None = None,
    environ: Mapping[str, str] = os.environ,
    overrides: Mapping[str, object] | None = None,
) -> LoadedConfig:
    """As `load_config`, and where each value comes from."""
    faults: list[str] = []
    values: dict[str, object] = {}
    sources = {setting.name: Source.DEFAULT for setting in list_settings()}
    given_by = (
        (Source.FILE, _file_values(file, faults)),
        (Source.ENVIRONMENT, _environment_values(environ)),
        (
            Source.FLAG,
            [(name, name, value) for name, value in (overrides or {}).items() if value is not None],
        ),
    )
    for source, given in given_by:
        for label, name, value in given:
            if _read_into(values, f"{source.value} {label}", name, value, faults):
                sources[name] = source
    if faults:
        raise ConfigError(faults)
    config = Config(**values)  # type: ignore[arg-type]  # the readers of the fields made these values
    faults.extend(_contradictions(config))
    if faults:
        raise ConfigError(faults)
    return LoadedConfig(config, file, sources)


def _read_into(values: dict[str, object], label: str, name: str, given: object, faults: list[str]) -> bool:
    setting = _SETTINGS_BY_NAME.get(name)
    if setting is None:
        faults.append(f"{label}: unknown setting{nearest_name(name, _SETTINGS_BY_NAME, _ALL_SETTINGS)}")
        return False
    try:
        values[name] = setting.read(given)
    except ValueError as error:
        shown = "the given value" if setting.secret else repr(given)
        faults.append(f"{label}: {shown} is not accepted; {error}")
        return False
    return True


def _file_values(file: Path | None, faults: list[str]) -> list[tuple[str, str, object]]:
    if file is None:
        return []
    try:
        return [
            (f"{file}: {name}", name, value) for name, value in tomllib.loads(file.read_text("utf-8")).items()
        ]
    except FileNotFoundError:
        faults.append(f"file {file}: there is no such file")
    except OSError as error:
        faults.append(f"file {file}: cannot be read ({error.strerror})")
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        faults.append(f"file {file}: is not TOML ({error})")
    return []


def _environment_values(environ: Mapping[str, str]) -> Iterator[tuple[str, str, object]]:
    for variable, value in sorted(environ.items()):
        other = variable == CONFIG_FILE_VARIABLE or variable.startswith(_OTHER_VARIABLES)
        if variable.startswith(ENVIRONMENT_PREFIX) and not other:
            yield variable, variable.removeprefix(ENVIRONMENT_PREFIX).lower(), value


def _contradictions(config: Config) -> Iterator[str]:
    """Settings that are fine alone and not together."""
    if config.batch_seconds * 2 > config.lease_seconds:
        yield "batch_seconds must be at most half of lease_seconds, or workers lose jobs while they write"


def config_warnings(config: Config) -> list[str]:
    """What is allowed and risky, or impolite, in a configuration."""
    warnings = []
    if config.host not in ("127.0.0.1", "::1", "localhost") and not config.admin_password:
        warnings.append(f"the service binds {config.host} and no admin_password is set")
    if not config.operator_contact and config.user_agent == honest_user_agent(""):
        warnings.append("operator_contact is empty: sites cannot reach who crawls them")
    if not config.obey_robots:
        warnings.append("obey_robots is off")
    if config.hyphe_compatible_access:
        warnings.append("hyphe_compatible_access lets any web page call the service")
    return warnings


def config_environment(config: Config) -> dict[str, str]:
    """The environment variables that give a child process exactly this configuration (secrets included)."""
    return {
        setting.environment_name: _environment_text(getattr(config, setting.name))
        for setting in list_settings()
    }


def _environment_text(value: object) -> str:
    if isinstance(value, tuple):
        return ",".join(value)
    if isinstance(value, float):
        return repr(value)
    if isinstance(value, bool):
        return "true" if value else "false"
    return "" if value is None else str(value)


_SETTINGS_BY_NAME = {setting.name: setting for setting in list_settings()}
_ALL_SETTINGS = "`hyphe config show` lists all"
