"""Resolved addresses and changes of the list of redirectors, over the registry's database."""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from typing import Final

from memory_structure.resolutions import Resolution, ResolutionKeeping
from memory_structure.storage import Column, ColumnKind, Row, Storage, Table
from memory_structure.stored.codec import clean_text
from memory_structure.stored.moments import from_micros, now_micros, to_micros

_T, _I = ColumnKind.TEXT, ColumnKind.INTEGER

RESOLUTIONS: Final = Table(
    "resolutions",
    (
        Column("url", _T),
        Column("target_url", _T),
        Column("trail", _T),
        Column("resolved_at", _I),
        Column("expires_at", _I),
    ),
    ("url",),
)
REDIRECT_CHANGES: Final = Table("redirect_changes", (Column("rule", _T), Column("sign", _T)), ("rule",))
RESOLUTION_TABLES: Final = (RESOLUTIONS, REDIRECT_CHANGES)


class StoredResolutions(ResolutionKeeping):
    """One row an address, one row a rule."""

    _storage: Storage

    def keep_resolutions(self, resolutions: Sequence[Resolution]) -> None:
        """Keep resolutions."""
        with self._storage.transaction() as transaction:
            now = now_micros()
            expired = [row[0] for row in transaction.scan(RESOLUTIONS) if row[4] <= now]
            transaction.delete(RESOLUTIONS, expired)
            transaction.put(RESOLUTIONS, [_row(each) for each in resolutions])

    def find_resolutions(self, urls: Iterable[str] | None = None) -> dict[str, Resolution]:
        """Resolutions that are still good."""
        if urls is None:
            rows: Iterable[Row] = self._storage.scan(RESOLUTIONS)
        else:
            rows = self._storage.get(RESOLUTIONS, list(dict.fromkeys(urls))).values()
        now = now_micros()
        return {row[0]: _resolution(row) for row in rows if row[4] > now}

    def redirect_changes(self) -> tuple[str, ...]:
        """Changes of the list of redirectors."""
        return tuple(sign + rule for rule, sign in self._storage.scan(REDIRECT_CHANGES))

    def change_redirects(self, changes: Sequence[str]) -> None:
        """Keep or forget changes."""
        with self._storage.transaction() as transaction:
            for change in changes:
                sign, rule = change[:1], clean_text(change[1:])
                if sign == "=":
                    transaction.delete(REDIRECT_CHANGES, [rule])
                else:
                    transaction.put(REDIRECT_CHANGES, [(rule, sign)])


def _row(resolution: Resolution) -> Row:
    url, target, trail, resolved_at, expires_at = resolution
    shown = None if target is None else clean_text(target)
    return clean_text(url), shown, json.dumps(trail), to_micros(resolved_at), to_micros(expires_at)


def _resolution(row: Row) -> Resolution:
    url, target, trail, resolved_at, expires_at = row
    return Resolution(
        url, target, tuple(json.loads(trail)), from_micros(resolved_at), from_micros(expires_at)
    )
