"""Wrong passwords are counted, by the address they come from and by what they would open; many make one wait.

The wait is told and doubles with each further failure. While it lasts no password is looked at, so that
guessing gains nothing, and costs the service nothing. Sessions and tokens are not passwords: they work on.
Whoever opened a corpus before is not made to wait for what other addresses try on it.
"""

from __future__ import annotations

import ipaddress
from collections import OrderedDict
from dataclasses import dataclass
from threading import Lock

from hyphe_core.clock import monotonic

FORGOTTEN_AFTER_SECONDS = 900.0
_MAX_KEPT = 10_000


@dataclass(frozen=True, slots=True)
class _Patience:
    """`n_free` failures cost nothing; then one waits a second, two, four, up to `longest_seconds`."""

    n_free: int
    longest_seconds: float

    def wait_seconds(self, n_failures: int) -> float:
        beyond = n_failures - self.n_free
        return 0.0 if beyond < 0 else min(2.0 ** min(beyond, 30), self.longest_seconds)


# Many addresses can be had; that of a corpus is a limit for them all, and short: it also meets the innocent.
_OF_ADDRESS = _Patience(10, 300.0)
_OF_TARGET = _Patience(100, 30.0)


@dataclass(slots=True)
class _Failures:
    n: int = 0
    last_at_seconds: float = 0.0
    free_at_seconds: float = 0.0


class Attempts:
    """Counts of failures. `target` is the id of a corpus, or "" for the administrator. Safe to use from
    several threads; what was longest without failure is forgotten first when there is too much."""

    def __init__(self) -> None:
        self._lock = Lock()
        self._by_address: OrderedDict[str, _Failures] = OrderedDict()
        self._by_target: OrderedDict[str, _Failures] = OrderedDict()
        self._welcome: OrderedDict[tuple[str, str], None] = OrderedDict()

    def begin(self, address: str, target: str) -> float:
        """Seconds to wait; 0 lets the attempt go on, which counts as failed until it `succeeded`: many at
        once gain nothing."""
        network = network_of(address)
        with self._lock:
            counts = [(_counted(self._by_address, network), _OF_ADDRESS)]
            if (network, target) not in self._welcome:
                counts.append((_counted(self._by_target, target), _OF_TARGET))
            moment = monotonic()
            wait = max(failures.free_at_seconds for failures, _ in counts) - moment
            if wait > 0:
                return wait
            for failures, patience in counts:
                failures.n += 1
                failures.last_at_seconds = moment
                failures.free_at_seconds = moment + patience.wait_seconds(failures.n)
            return 0.0

    def succeeded(self, address: str, target: str) -> None:
        """The password was right: the failures of this address are forgiven, those of others on the target
        are not."""
        network = network_of(address)
        with self._lock:
            self._by_address.pop(network, None)
            failures = self._by_target.get(target)
            if failures is not None and (network, target) not in self._welcome:
                failures.n = max(0, failures.n - 1)
                failures.free_at_seconds = 0.0
            self._welcome[network, target] = None
            self._welcome.move_to_end((network, target))
            while len(self._welcome) > _MAX_KEPT:
                self._welcome.popitem(last=False)


def _counted(kept: OrderedDict[str, _Failures], key: str) -> _Failures:
    failures = kept.setdefault(key, _Failures())
    kept.move_to_end(key)
    while len(kept) > _MAX_KEPT:
        kept.popitem(last=False)
    if monotonic() - failures.last_at_seconds > FORGOTTEN_AFTER_SECONDS:
        failures.n = 0
    return failures


def network_of(address: str) -> str:
    """What failures are counted by: an IPv4 address, or the 64 bits of an IPv6 network, which one person
    holds."""
    try:
        found = ipaddress.ip_address(address.partition("%")[0])
    except ValueError:
        return address[:100]
    if isinstance(found, ipaddress.IPv6Address):
        if found.ipv4_mapped is not None:
            return str(found.ipv4_mapped)
        return str(ipaddress.IPv6Network((int(found) >> 64 << 64, 64)))
    return str(found)
