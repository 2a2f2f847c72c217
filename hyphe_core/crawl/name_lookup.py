"""Host names to addresses for aiohttp: looked up in threads of our own, private addresses held back.

The connector keeps what it is given and connects to just that: a name that changes its mind between look-up
and connection gains nothing. Addresses written out never come here; the client judges them by their text.
"""

from __future__ import annotations

import asyncio
import socket
from concurrent.futures import ThreadPoolExecutor
from typing import Final

from aiohttp.abc import AbstractResolver, ResolveResult

from hyphe_core.crawl.addresses import is_public
from hyphe_core.errors import AddressRefused

# Not the loop's own threads: names of dead servers take long, and the stores work there.
_N_THREADS: Final = 30
_Found = tuple[socket.AddressFamily, str]


class NameLookup(AbstractResolver):
    """Look-ups of one pool of connections. `only_public` refuses names that have private addresses alone."""

    def __init__(self, *, only_public: bool) -> None:
        self._only_public = only_public
        self._threads = ThreadPoolExecutor(_N_THREADS, thread_name_prefix="name-lookup")

    async def resolve(
        self, host: str, port: int = 0, family: socket.AddressFamily = socket.AF_UNSPEC
    ) -> list[ResolveResult]:
        """The addresses that may be used, in the system's order. Raises OSError for a name that has none,
        AddressRefused when all it has are private."""
        loop = asyncio.get_running_loop()
        found = await loop.run_in_executor(self._threads, _list_addresses, host, family)
        allowed = [each for each in found if is_public(each[1])] if self._only_public else found
        if found and not allowed:
            raise AddressRefused(f"{found[0][1]} is not a public address")
        return [
            ResolveResult(
                hostname=host, host=address, port=port, family=kind, proto=0, flags=socket.AI_NUMERICHOST
            )
            for kind, address in allowed
        ]

    async def close(self) -> None:
        """Give up the look-ups that wait."""
        self._threads.shutdown(wait=False, cancel_futures=True)


def _list_addresses(host: str, family: int) -> list[_Found]:
    """Blocks."""
    found = socket.getaddrinfo(host, None, family=family, type=socket.SOCK_STREAM)
    return list(dict.fromkeys((entry[0], str(entry[4][0])) for entry in found))
