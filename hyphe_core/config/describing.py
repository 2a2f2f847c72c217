"""What is known of a setting beside its value, and how values are shown to people."""

from __future__ import annotations

from typing import NamedTuple
from urllib.parse import urlsplit, urlunsplit

from hyphe_core.config.values import ValueReader

ENVIRONMENT_PREFIX = "HYPHE_"


class Setting(NamedTuple):
    """A setting as listed. `default` is in words where it depends on the machine; `unit` may be empty."""

    name: str
    group: str
    description: str
    unit: str
    read: ValueReader
    default: str
    secret: bool

    @property
    def environment_name(self) -> str:
        """The environment variable that sets it."""
        return ENVIRONMENT_PREFIX + self.name.upper()


class About(NamedTuple):
    """The metadata of a field of `Config`, under the key `about`."""

    group: str
    read: ValueReader
    description: str
    unit: str
    default_words: str
    secret: bool


def about(
    group: str,
    read: ValueReader,
    description: str,
    *,
    unit: str = "",
    default_words: str = "",
    secret: bool = False,
) -> dict[str, About]:
    """The metadata of a field."""
    return {"about": About(group, read, description, unit, default_words, secret)}


def shown_value(value: object, *, secret: bool = False) -> str:
    """A value as people read and write it; passwords and what may hold one are masked."""
    if value is None:
        return "none"
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, tuple):
        return ", ".join(value) or "none"
    if isinstance(value, float):
        return f"{value:g}"
    return _masked(str(value)) if secret else str(value) or "empty"


def _masked(value: str) -> str:
    """A URL without user, password and query; any other text as three stars."""
    parts = urlsplit(value)
    if not value:
        return "empty"
    if not parts.scheme or not parts.netloc:
        return "***"
    user, _, address = parts.netloc.rpartition("@")
    query = "***" if parts.query else ""
    return urlunsplit((parts.scheme, f"{'***@' if user else ''}{address}", parts.path, query, ""))
