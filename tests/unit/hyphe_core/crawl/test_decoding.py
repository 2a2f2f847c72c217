from __future__ import annotations

import gzip
import zlib
from functools import partial

import pytest
import zstandard
from hypothesis import given
from hypothesis import strategies as st

from hyphe_core.crawl.decoding import BodyOverLimit, UndecodableBody, decode_body

# Without the moment that gzip writes: names of tests are made of these bytes.
squeezed = partial(gzip.compress, mtime=0)
BODY = b"<html>" + b"text " * 1000


def raw_deflate(body: bytes) -> bytes:
    engine = zlib.compressobj(wbits=-15)
    return engine.compress(body) + engine.flush()


@pytest.mark.parametrize(
    ("encoded", "names"),
    [
        (BODY, []),
        (BODY, ["identity"]),
        (squeezed(BODY), ["gzip"]),
        (squeezed(BODY), ["X-GZIP"]),
        (squeezed(BODY[:50]) + squeezed(BODY[50:]), ["gzip"]),
        (squeezed(BODY) + b"rubbish", ["gzip"]),
        (zlib.compress(BODY), ["deflate"]),
        (raw_deflate(BODY), ["deflate"]),
        (zstandard.compress(BODY), ["zstd"]),
        (squeezed(squeezed(BODY)), ["gzip, gzip"]),
        (squeezed(zlib.compress(BODY)), ["deflate", "gzip"]),
    ],
)
def test_encodings_are_undone_last_one_first(encoded: bytes, names: list[str]) -> None:
    assert decode_body(encoded, names, 100_000) == BODY


@pytest.mark.parametrize(
    ("body", "names"),
    [
        (BODY, ["gzip"]),
        (squeezed(BODY)[:-20], ["gzip"]),
        (BODY, ["br"]),
        (BODY, ["zstd"]),
        (b"\x00\x01", ["deflate"]),
        (BODY, ["gzip"] * 4),
    ],
)
def test_a_lie_is_told(body: bytes, names: list[str]) -> None:
    with pytest.raises(UndecodableBody):
        decode_body(body, names, 100_000)


@pytest.mark.parametrize("squeeze", [gzip.compress, zlib.compress, zstandard.compress])
def test_a_bomb_stops_at_the_limit(squeeze: object) -> None:
    name = {"compress": "deflate"}.get(getattr(squeeze, "__name__", ""), "deflate")
    name = {gzip.compress: "gzip", zstandard.compress: "zstd"}.get(squeeze, name)  # type: ignore[call-overload]
    with pytest.raises(BodyOverLimit):
        decode_body(squeeze(bytes(5_000_000)), [name], 100_000)  # type: ignore[operator]


def test_a_body_of_exactly_the_limit_passes() -> None:
    assert len(decode_body(gzip.compress(bytes(1000)), ["gzip"], 1000)) == 1000


@given(
    st.binary(max_size=300), st.lists(st.sampled_from(["gzip", "deflate", "zstd", "br", "x y"]), max_size=3)
)
def test_no_bytes_make_it_raise_anything_else(body: bytes, names: list[str]) -> None:
    try:
        decode_body(body, names, 1000)
    except (UndecodableBody, BodyOverLimit):
        pass
