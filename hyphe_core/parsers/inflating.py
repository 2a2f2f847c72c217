"""Compressed data undone, never past a limit: a bomb of 30 KB must not become 30 GB."""

from __future__ import annotations

import zlib
from typing import Final

GZIP: Final = 31
"""The window bits by which zlib reads gzip."""


class UndecodableBody(ValueError):
    """The body is not what it is said to be, or nobody knows what that is."""


class BodyOverLimit(ValueError):
    """The decoded body is larger than allowed."""


def inflate(body: bytes, window_bits: int, limit: int) -> bytes:
    """Several members in a row are one body; rubbish behind the last one is passed over.

    Raises zlib.error, UndecodableBody for data that end too early, BodyOverLimit past `limit` bytes.
    """
    parts: list[bytes] = []
    room = limit
    while body:
        engine = zlib.decompressobj(window_bits)
        try:
            part = engine.decompress(body, room + 1)
        except zlib.error:
            if parts:
                break
            raise
        room -= len(part)
        if room < 0:
            raise BodyOverLimit(f"more than {limit} bytes once decompressed")
        parts.append(part)
        if not engine.eof:
            raise UndecodableBody("the compressed data end too early")
        body = engine.unused_data
    return b"".join(parts)
