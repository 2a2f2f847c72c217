"""The contract of the blob store: original bodies, named by the digest of their bytes."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterator, Sequence


class BlobStore(ABC):
    """Bodies of one corpus, compressed, content-addressed. Writing the same bytes twice keeps one copy."""

    @abstractmethod
    def put_many(self, bodies: Sequence[tuple[str, bytes]]) -> None:
        """Keep bodies under their digests, pairs of (SHA-256 hex of the bytes, bytes); all or none of those
        that are not kept yet. When it returns they survive a killed process. Present ones are left alone."""

    def put(self, digest: str, body: bytes) -> None:
        """Keep one body; many together cost far less each."""
        self.put_many(((digest, body),))

    @abstractmethod
    def get(self, digest: str) -> bytes:
        """The body, byte for byte. NotFound when absent, CorruptCorpus when what is kept is
        not what was written."""

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
