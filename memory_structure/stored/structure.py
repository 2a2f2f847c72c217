"""The memory structure over any database that offers keyed tables."""

from __future__ import annotations

from memory_structure.stored.checking import Checking
from memory_structure.stored.history import History
from memory_structure.structure import MemoryStructure


class StoredMemoryStructure(Checking, History, MemoryStructure):
    """A corpus in a database: the one implementation of the contract, over every backend."""


__all__ = ["StoredMemoryStructure"]
