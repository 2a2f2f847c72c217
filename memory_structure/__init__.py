"""Everything persistent of a corpus and the pure model behind it.

The pure model: LRU algebra (`lru`, `urls`), prefixes, creation rules, precision limit, LRU tree. The
persistent part: the contract `structure.MemoryStructure` and its backends. Imports nothing of the other
packages of this project.
"""
