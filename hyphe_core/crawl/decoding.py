"""Content-Encoding undone, never past a limit: a bomb of 30 KB must not become 30 GB."""

from __future__ import annotations

import zlib
from typing import Final

import zstandard

from hyphe_core.parsers.inflating import GZIP, BodyOverLimit, UndecodableBody, inflate

__all__ = ["ACCEPTED", "BodyOverLimit", "UndecodableBody", "decode_body"]

ACCEPTED: Final = b"gzip, deflate, zstd"
_GZIP_NAMES: Final = frozenset({"gzip", "x-gzip"})
_MAX_LAYERS: Final = 3


def decode_body(body: bytes, encodings: list[str], limit: int) -> bytes:
    """The body with its encodings (values of the header, in order applied) undone, last one first.

    Raises UndecodableBody, or BodyOverLimit as soon as `limit` bytes are passed.
    """
    names = [name.strip().lower() for value in encodings for name in value.split(",")]
    names = [name for name in names if name not in ("", "identity")]
    if len(names) > _MAX_LAYERS:
        raise UndecodableBody(f"{len(names)} content encodings on top of each other")
    for name in reversed(names):
        if body:
            body = _undo(name, body, limit)
    return body


def _undo(name: str, body: bytes, limit: int) -> bytes:
    try:
        if name in _GZIP_NAMES:
            return inflate(body, GZIP, limit)
        if name == "deflate":
            return inflate(body, 15 if _has_zlib_head(body) else -15, limit)
        if name == "zstd":
            return _unzstd(body, limit)
    except (zlib.error, zstandard.ZstdError) as error:
        raise UndecodableBody(f"not {name}: {error}") from error
    raise UndecodableBody(f"unknown content encoding {name[:40]!r}")


def _has_zlib_head(body: bytes) -> bool:
    """Whether deflate data have the zlib frame of RFC 1950; many servers send it bare."""
    return len(body) > 1 and body[0] & 15 == 8 and int.from_bytes(body[:2], "big") % 31 == 0


def _unzstd(body: bytes, limit: int) -> bytes:
    with zstandard.ZstdDecompressor(max_window_size=1 << 27).stream_reader(body) as reader:
        data = reader.read(limit + 1)
    if len(data) > limit:
        raise BodyOverLimit(f"more than {limit} bytes once decompressed")
    return data
