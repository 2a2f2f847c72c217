"""Name resolution for crawls: remembered for a while, and no private address unless the job may go there.

The check lies behind DNS and before the connection, which uses the very addresses checked: a name that
changes its mind between two look-ups gains nothing. Redirects are requests of their own and pass here
too. Names of the operator's proxies are exempt, those that clients named are not; what a proxy resolves is
out of reach, so literal addresses are checked by their text there.
"""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable, Sequence
from contextvars import ContextVar
from typing import TYPE_CHECKING, Any, Final

from twisted.internet.interfaces import (
    IAddress,
    IHostnameResolver,
    IHostResolution,
    IResolutionReceiver,
)
from zope.interface import implementer  # type: ignore[import-untyped]

from hyphe_core import clock
from hyphe_core.crawl.addresses import is_public
from hyphe_core.crawl.tickets import Ticket

if TYPE_CHECKING:
    from scrapy.crawler import Crawler
    from twisted.internet.base import ReactorBase

KEEP_SECONDS: Final = 300.0
_MAX_NAMES: Final = 10_000

# The request that a look-up is made for: set by the download handler in the task that starts the connection.
resolving_for: ContextVar[Ticket | None] = ContextVar("resolving_for", default=None)


def is_private(address: str) -> bool:
    """Whether an IP address is not of the public internet."""
    return not is_public(address)


def is_private_literal(host: str) -> bool:
    """Whether a host is written as a private address, or is localhost. Names that need DNS are not judged
    here."""
    host = host.strip("[]").rstrip(".").lower()
    if host == "localhost" or host.endswith(".localhost"):
        return True
    is_address = ":" in host or host.replace(".", "").isdecimal()
    return is_address and is_private(host)


@implementer(IHostResolution)
class _Resolution:
    """A look-up answered from memory; there is nothing to cancel."""

    def __init__(self, name: str) -> None:
        self.name = name

    def cancel(self) -> None:
        """Nothing to do: it is over."""


@implementer(IResolutionReceiver)
class _Receiver:
    """Passes on the addresses that may be used, and remembers all."""

    def __init__(self, target: Any, ticket: Ticket | None, keep: Callable[[list[IAddress]], None]) -> None:
        self._target = target
        self._ticket = ticket
        self._keep = keep
        self._all: list[IAddress] = []

    def resolutionBegan(self, resolution: IHostResolution) -> None:  # noqa: N802
        self._target.resolutionBegan(resolution)

    def addressResolved(self, address: IAddress) -> None:  # noqa: N802
        self._all.append(address)
        if _may_use(self._ticket, address):
            self._target.addressResolved(address)

    def resolutionComplete(self) -> None:  # noqa: N802
        if self._all:
            self._keep(self._all)
        self._target.resolutionComplete()


def _may_use(ticket: Ticket | None, address: Any) -> bool:
    if ticket is None or ticket.job.spec.allow_private_networks:
        return True
    if ticket.job.proxy and not ticket.job.spec.guards_proxy:
        return True
    if not is_private(address.host):
        return True
    ticket.refused_address = address.host
    return False


@implementer(IHostnameResolver)
class PublicResolver:
    """Scrapy's `TWISTED_DNS_RESOLVER`: IPv4 and IPv6, names kept five minutes, private addresses held
    back."""

    def __init__(self, reactor: Any) -> None:
        self._reactor = reactor
        self._resolver: Any = reactor.nameResolver
        self._known: OrderedDict[str, tuple[float, list[IAddress]]] = OrderedDict()

    @classmethod
    def from_crawler(cls, crawler: Crawler, reactor: ReactorBase) -> PublicResolver:
        """Made by Scrapy before the engine starts."""
        return cls(reactor)

    def install_on_reactor(self) -> None:
        """Take the place of the reactor's resolver."""
        self._reactor.installNameResolver(self)

    def resolveHostName(  # noqa: N802
        self,
        resolutionReceiver: Any,  # noqa: N803
        hostName: str,  # noqa: N803
        portNumber: int = 0,  # noqa: N803
        addressTypes: Sequence[type[IAddress]] | None = None,  # noqa: N803
        transportSemantics: str = "TCP",  # noqa: N803
    ) -> IHostResolution:
        """Look a name up; see Twisted's IHostnameResolver."""
        ticket = resolving_for.get()
        known = self._known.get(hostName)
        if known is not None and known[0] > clock.monotonic():
            return _answer(
                resolutionReceiver, hostName, portNumber, [a for a in known[1] if _may_use(ticket, a)]
            )
        receiver = _Receiver(resolutionReceiver, ticket, lambda addresses: self._keep(hostName, addresses))
        found: IHostResolution = self._resolver.resolveHostName(
            receiver, hostName, portNumber, addressTypes, transportSemantics
        )
        return found

    def _keep(self, name: str, addresses: list[IAddress]) -> None:
        self._known[name] = (clock.monotonic() + KEEP_SECONDS, addresses)
        self._known.move_to_end(name)
        while len(self._known) > _MAX_NAMES:
            self._known.popitem(last=False)


def _answer(receiver: Any, name: str, port: int, addresses: list[Any]) -> IHostResolution:
    resolution = _Resolution(name)
    receiver.resolutionBegan(resolution)
    for address in addresses:
        receiver.addressResolved(type(address)(address.type, address.host, port))
    receiver.resolutionComplete()
    return resolution  # type: ignore[return-value]  # declared by the decorator
