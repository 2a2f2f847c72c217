"""What the parts of the MongoDB storage ask of the driver. Only `mongodb` itself knows the driver."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterator, Sequence
from typing import Any

from memory_structure.backends.mongodb_journal import OperationKind

Document = dict[str, Any]


class LostConnection(Exception):  # an event that is always handled inside the backend
    """The server does not answer any more; a new attempt may succeed."""


class Access(ABC):
    """Operations on the collections of one database.

    All but `stream` are repeated while the server does not answer, and raise StoreUnreachable in the end; so
    each may have been carried out twice. `was_lost` becomes true when a connection was lost.
    """

    was_lost: bool = False

    @abstractmethod
    def stream(
        self,
        collection: str,
        query: Document,
        fields: Document | None = None,
        sort: list[tuple[str, int]] | None = None,
        limit: int = 0,
    ) -> Iterator[Document]:
        """Documents as they come; limit 0 is none. Raises LostConnection, also in the middle."""

    @abstractmethod
    def pause(self, fault: LostConnection, deadline: float | None) -> float:
        """Wait a little; returns the moment to give up, for the next call. Raises StoreUnreachable."""

    @abstractmethod
    def list_all(
        self,
        collection: str,
        query: Document,
        fields: Document | None = None,
        sort: list[tuple[str, int]] | None = None,
        limit: int = 0,
    ) -> list[Document]:
        """All documents of a small answer; limit 0 is none."""

    @abstractmethod
    def find_one(self, collection: str, document_id: Any) -> Document | None:
        """The document of that id."""

    @abstractmethod
    def count(self, collection: str, query: Document) -> int:
        """Number of matches."""

    @abstractmethod
    def add_once(self, collection: str, document: Document) -> None:
        """Add a document, durably, unless its id is there already."""

    @abstractmethod
    def change_one(
        self, collection: str, guard: Document, change: Document, *, durable: bool = False
    ) -> bool:
        """Change the document that fulfils the guard; False when there is none."""

    @abstractmethod
    def write(
        self, collection: str, kind: OperationKind, documents: Sequence[bytes], seq: int, *, durable: bool
    ) -> None:
        """Apply encoded documents as transaction `seq`; what later transactions wrote stays."""

    @abstractmethod
    def server_id(self) -> object:
        """Names the run of the server: another one after each start of its process."""

    @abstractmethod
    def remove(self, collection: str, ids: list[str] | None) -> None:
        """Remove those documents, or all."""

    @abstractmethod
    def encode(self, document: Document) -> bytes:
        """The document as bytes. Raises InvalidValue."""
