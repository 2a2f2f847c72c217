"""Errors of the service. Each class is also the builtin kind a caller would guess.

Two families with a root each: `CallerFault` (what was asked cannot be done as asked; ask otherwise) and
`WebFault` (a page, a host or the way to it failed; the crawl notes it and goes on). What the store raises
is in `memory_structure.errors`. A message is one line that names the value and what is accepted.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from difflib import get_close_matches


def nearest_name(name: str, known: Iterable[str], otherwise: str = "") -> str:
    """What to add to the message on an unknown name: the nearest known one; where none is near `otherwise`,
    or all there are."""
    names = sorted(known)
    near = get_close_matches(name, names, n=1, cutoff=0.5)
    return f"; did you mean {near[0]}?" if near else f"; {otherwise or 'there are ' + ', '.join(names)}"


class CallerFault(Exception):
    """Root: the operator, the researcher or a client program asked for something that cannot be done."""


class UsageFault(CallerFault, ValueError):
    """An option, an argument or a combination of them is not accepted."""


class NothingToDo(CallerFault, LookupError):
    """Nothing usable was given: no valid URL, no unfinished job."""


class ConfigError(CallerFault, ValueError):
    """The configuration has faults; `faults` lists all of them, one line each."""

    def __init__(self, faults: Sequence[str]) -> None:
        self.faults = tuple(faults)
        super().__init__("; ".join(self.faults))


class PortInUse(CallerFault, OSError):
    """Another program listens on the address the service was told to bind."""

    def __init__(self, host: str, port: int) -> None:
        super().__init__(f"port {port} of {host} is in use by another program; choose another with --port")
        self.host = host
        self.port = port


class AddressUnusable(CallerFault, OSError):
    """The service cannot bind the address it was told to."""


class OutputFailed(CallerFault, OSError):
    """A file asked for cannot be written; what stood there before is untouched."""


class WebFault(Exception):
    """Root: the web did not give a usable answer."""


class FetchFailed(WebFault, ConnectionError):
    """No whole answer came from the host."""


class AnswerTooSlow(WebFault, TimeoutError):
    """The answer was not complete in time."""


class AddressRefused(WebFault, PermissionError):
    """The address is private, loopback or link-local and the crawl may not go there."""


class BodyTooLarge(WebFault, OverflowError):
    """The body is larger than the crawl accepts, as announced, as received or once decompressed."""


class BadAnswer(WebFault, ValueError):
    """An answer came that cannot be read: broken framing, encoding or type."""


class ParserFailed(WebFault, RuntimeError):
    """A parser broke on a body. The page is kept with this as its error."""
