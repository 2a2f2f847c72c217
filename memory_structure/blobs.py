"""The contract of the blob store: original bodies, named by the digest of their bytes."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterator


class BlobStore(ABC):
    """Bodies of one corpus, compressed, content-addressed. Writing the same bytes twice keeps one copy."""

    @abstractmethod
    def put(self, digest: str, body: bytes) -> None:
        """Keep a body under its digest (SHA-256 hex of `body`); whole or not at all. Present ones are left
        alone."""

    @abstractmethod
    def get(self, digest: str) -> bytes:
        """The body, byte for byte. NotFound when absent, CorruptCorpus when its digest does not match."""

    @abstractmethod
    def has(self, digest: str) -> bool:
        """Whether a body is kept."""

    @abstractmethod
    def iter_digests(self) -> Iterator[str]:
        """Every digest kept, in no order."""

    @abstractmethod
    def delete(self, digest: str) -> None:
        """Remove a body; absent ones are passed over."""

    @abstractmethod
    def destroy(self) -> None:
        """Remove all bodies of the corpus."""
