"""Passwords: hashed with scrypt under a salt of their own, compared in constant time.

A stored hash is one text, `scrypt$log2(N)$r$p$salt$key` with salt and key in hexadecimal. An unset password
or hash
never matches anything.
"""

from __future__ import annotations

import hashlib
import hmac
import secrets
import unicodedata
from threading import BoundedSemaphore

_LOG2_N, _R, _P, _KEY_BYTES = 14, 8, 1, 32
_MAX_MEMORY_BYTES = 64 * 1024 * 1024

# Each try costs 16 MB and some 50 ms of a core: guessing must not starve the other callers.
_SLOTS = BoundedSemaphore(2)


def hash_password(password: str) -> str:
    """The text to store for a password; empty for an empty password, which means none is set."""
    if not password:
        return ""
    salt = secrets.token_bytes(16)
    key = _derive(password, salt, _LOG2_N, _R, _P)
    return f"scrypt${_LOG2_N}${_R}${_P}${salt.hex()}${key.hex()}"


def matches_hash(password: object, stored: str) -> bool:
    """Whether a password as sent is the one whose hash is stored."""
    if not isinstance(password, str) or not password or not stored:
        return False
    name, _, rest = stored.partition("$")
    parts = rest.split("$")
    if name != "scrypt" or len(parts) != 5:
        return False
    log2_n, r, p = (int(part) for part in parts[:3])
    key = _derive(password, bytes.fromhex(parts[3]), log2_n, r, p)
    return hmac.compare_digest(key, bytes.fromhex(parts[4]))


def matches_secret(password: object, secret: str | None) -> bool:
    """Whether a password as sent equals a secret of the configuration; an unset secret matches nothing."""
    if not isinstance(password, str) or not password or not secret:
        return False
    given, wanted = (hashlib.sha256(_octets(text)).digest() for text in (password, secret))
    return hmac.compare_digest(given, wanted)  # of one length: not even that is told


def _derive(password: str, salt: bytes, log2_n: int, r: int, p: int) -> bytes:
    with _SLOTS:
        return hashlib.scrypt(
            _octets(password), salt=salt, n=2**log2_n, r=r, p=p, maxmem=_MAX_MEMORY_BYTES, dklen=_KEY_BYTES
        )


def _octets(password: str) -> bytes:
    """One password typed on two keyboards may differ in composition only."""
    return unicodedata.normalize("NFKC", password).encode("utf-8", "surrogatepass")
