"""How inputs are made: bytes changed, fragments of a language strung together, and few fragments repeated
until the input is large, which is what finds costs that grow faster than the input."""

from __future__ import annotations

from collections.abc import Sequence
from random import Random

KIB, MIB = 2**10, 2**20
# Mostly small: large inputs cost the time of thousands of small ones.
_SIZES = (4 * KIB, 32 * KIB, 128 * KIB, 512 * KIB, MIB)
_SIZE_WEIGHTS = (40, 30, 15, 10, 5)
_INTERESTING = (
    b"\0",
    b"\xff",
    b"\xed\xa0\x80",
    b"\xef\xbb\xbf",
    b"\xff\xfe",
    b"\xfe\xff",
    b"<",
    b">",
    b"&",
    b"'",
    b'"',
)
_MAX_MUTATED = 64 * KIB


def mutate(rng: Random, data: bytes, others: Sequence[bytes]) -> bytes:
    """The bytes after one to eight small changes."""
    buffer = bytearray(data[:_MAX_MUTATED])
    for _ in range(rng.choice((1, 1, 2, 3, 5, 8))):
        _CHANGES[rng.randrange(len(_CHANGES))](rng, buffer, others)
    return bytes(buffer)


def _place(rng: Random, buffer: bytearray) -> tuple[int, int]:
    start = rng.randint(0, len(buffer))
    return start, min(len(buffer), start + rng.choice((1, 2, 4, 16, 64, 1024)))


def _flip(rng: Random, buffer: bytearray, _: Sequence[bytes]) -> None:
    if buffer:
        buffer[rng.randrange(len(buffer))] ^= 1 << rng.randrange(8)


def _insert(rng: Random, buffer: bytearray, _: Sequence[bytes]) -> None:
    start, _end = _place(rng, buffer)
    buffer[start:start] = rng.choice((rng.choice(_INTERESTING), rng.randbytes(rng.randint(1, 4))))


def _delete(rng: Random, buffer: bytearray, _: Sequence[bytes]) -> None:
    start, end = _place(rng, buffer)
    del buffer[start:end]


def _repeat(rng: Random, buffer: bytearray, _: Sequence[bytes]) -> None:
    start, end = _place(rng, buffer)
    buffer[start:start] = buffer[start:end] * rng.choice((1, 2, 10, 100))


def _splice(rng: Random, buffer: bytearray, others: Sequence[bytes]) -> None:
    other = others[rng.randrange(len(others))][:_MAX_MUTATED]
    start, end = _place(rng, buffer)
    from_, to = sorted((rng.randint(0, len(other)), rng.randint(0, len(other))))
    buffer[start:end] = other[from_:to]


def _move(rng: Random, buffer: bytearray, _: Sequence[bytes]) -> None:
    start, end = _place(rng, buffer)
    piece = buffer[start:end]
    del buffer[start:end]
    at = rng.randint(0, len(buffer))
    buffer[at:at] = piece


_CHANGES = (_flip, _insert, _delete, _repeat, _splice, _move)


def string_together(rng: Random, fragments: Sequence[bytes]) -> bytes:
    """Up to sixty fragments, now and then some bytes of chance."""
    pieces = [
        rng.randbytes(rng.randint(1, 8)) if rng.random() < 0.03 else rng.choice(fragments)
        for _ in range(rng.randint(1, 60))
    ]
    return b"".join(map(_numbered, pieces, range(len(pieces))))


def blow_up(rng: Random, fragments: Sequence[bytes], max_bytes: int = MIB) -> bytes:
    """One to three runs, each of a few fragments repeated, between some fragments that stand once."""
    size = min(rng.choices(_SIZES, _SIZE_WEIGHTS)[0], max_bytes)
    n_runs = rng.choice((1, 1, 2, 2, 3))
    pieces: list[bytes] = []
    for _ in range(n_runs):
        pieces += rng.choices(fragments, k=rng.randint(0, 3))
        unit = rng.choices(fragments, k=rng.choice((1, 1, 2, 2, 3, 4)))
        room = max(1, size // n_runs)
        n_times = max(1, room // max(1, sum(map(len, unit))))
        if any(b"%d" in one for one in unit):
            pieces += [_numbered(one, n) for n in range(n_times) for one in unit]
        else:
            pieces.append(b"".join(unit) * n_times)
    pieces += rng.choices(fragments, k=rng.randint(0, 3))
    return b"".join(_numbered(piece, 0) for piece in pieces)[:max_bytes]


def _numbered(fragment: bytes, number: int) -> bytes:
    return fragment.replace(b"%d", b"%d" % number)
