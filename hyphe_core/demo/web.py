"""The demo web on one loopback port: `python -m hyphe_core.demo.web --port 0` prints its port, then serves.

A client names it as its HTTP proxy, or sends the wanted host in the Host header. A host that is not
part of this web is answered 502, as a proxy does where a name does not resolve. CONNECT is refused with 501:
it speaks plain HTTP only.
"""

from __future__ import annotations

import argparse
import asyncio
import contextlib
import signal
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from http import HTTPStatus
from urllib.parse import unquote, urlsplit

from hyphe_core.demo.generated import find_generated_page
from hyphe_core.demo.rendering import render_body
from hyphe_core.demo.site_files import Page, Site, read_sites

MISSING_BYTES = 500
"""How many bytes more than it sends a cut answer announces."""

# The remaining sites (a host of blogs, a radio, a farm, a shortener, accounts) are there to be discovered.
DEMO_START_URLS = [
    "http://www.gazette-valmer.fr/",
    "http://www.mairie-valmer.fr/",
    "http://vent-des-cretes.org/",
    "http://www.horizon-libre.org/",
    "http://lea.plumes-libres.net/",
    "http://marin.plumes-libres.net/",
    "http://agora-sociale.net/vent_des_cretes",
    "http://agora-sociale.net/horizon_libre",
    "http://www.coastal-energy-lab.ac.uk/",
    "http://forum.debat-eolien.fr/",
    "http://transition-nord.eu/",
    "http://www.syndicat-energie-valmer.fr/",
    "http://capteurs-ouverts.io/",
    "http://www.archives-valmer.fr/",
    "http://www.grid-observatory.org/",
    "http://citoyens-energie.coop/",
    "http://www.parc-des-cretes.com/",
    "http://www.ancien-projet-valmer.fr/",
]

# Platforms whose tenants are web entities of their own: (prefix URL, preset of the creation rule).
DEMO_RULES = [
    ("http://plumes-libres.net/", "subdomain"),
    ("http://agora-sociale.net/", "path-1"),
]


@dataclass(frozen=True, slots=True)
class Answer:
    """One HTTP answer as sent: its bytes, the wait before them, and whether the connection ends there."""

    data: bytes
    wait_seconds: float = 0.0
    is_last: bool = False


class DemoWeb:
    """The sites, looked up by host; answers are made anew for each request and are always the same."""

    def __init__(self, sites: Mapping[str, Site]) -> None:
        self._sites = sites
        self._aliases = {alias: site.host for site in sites.values() for alias in site.aliases}

    def answer(self, host: str, target: str) -> Answer:
        """Answer to a GET of a path with query on a host."""
        if host in self._aliases:
            return make_answer(
                HTTPStatus.MOVED_PERMANENTLY, b"", [f"Location: http://{self._aliases[host]}{target}"]
            )
        site = self._sites.get(host)
        if site is None:
            return make_answer(HTTPStatus.BAD_GATEWAY, b"no such host")
        if target == "/robots.txt" and site.robots is not None:
            return make_answer(HTTPStatus.OK, site.robots.encode(), ["Content-Type: text/plain"])
        page = find_page(site, target)
        return make_page_answer(site, page or Page(target, title="404", body="Rien ici.", status=404))


def find_page(site: Site, target: str) -> Page | None:
    """The page of a site at a path with query, written or computed.

    Queries that the site does not know are ignored, as most real servers do. Escapes of a path may stand for
    UTF-8 octets (what browsers send) or for those of the site's own charset.
    """
    for spelling in (target, unquote(target), unquote(target, encoding=site.charset)):
        page = site.pages.get(spelling) or find_generated_page(site, spelling)
        if page or (page := site.pages.get(urlsplit(spelling).path)):
            return page
    return None


def make_page_answer(site: Site, page: Page) -> Answer:
    """HTTP answer that delivers a page, with the faults that the page asks for."""
    headers = list(page.headers)
    if page.content_type:
        headers.append("Content-Type: " + page.content_type.format(charset=page.charset or site.charset))
    if page.location is not None:
        headers.append(f"Location: {page.location}")
    body = render_body(site, page) if page.location is None else b""
    missing = MISSING_BYTES if page.is_cut else 0
    answer = make_answer(HTTPStatus(page.status), body, headers, missing)
    return Answer(answer.data, page.wait_seconds, is_last=page.is_cut)


def make_answer(
    status: HTTPStatus, body: bytes, headers: Sequence[str] = (), n_missing_bytes: int = 0
) -> Answer:
    """HTTP answer with a declared length, `n_missing_bytes` above the true one."""
    lines = [f"HTTP/1.1 {status.value} {status.phrase}", f"Content-Length: {len(body) + n_missing_bytes}"]
    head = "\r\n".join([*lines, *headers, "", ""])
    return Answer(head.encode("latin-1") + body)


async def serve_connection(web: DemoWeb, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    """Answers the requests of one connection, one after the other, until either side closes it."""
    with contextlib.suppress(asyncio.IncompleteReadError, asyncio.LimitOverrunError, ConnectionError):
        while await _serve_request(web, reader, writer):
            pass
    writer.close()


async def _serve_request(web: DemoWeb, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> bool:
    """Answers one request; False when the connection is to be closed."""
    head = (await reader.readuntil(b"\r\n\r\n")).decode("latin-1")
    request_line, *lines = head.split("\r\n")
    headers = {name.lower(): value.strip() for name, _, value in (line.partition(":") for line in lines)}
    answer, is_head = _answer_request(web, request_line, headers)
    if answer.wait_seconds:
        await asyncio.sleep(answer.wait_seconds)
    writer.write(answer.data.partition(b"\r\n\r\n")[0] + b"\r\n\r\n" if is_head else answer.data)
    await writer.drain()
    return not answer.is_last and headers.get("connection", "").lower() != "close"


def _answer_request(web: DemoWeb, request_line: str, headers: Mapping[str, str]) -> tuple[Answer, bool]:
    method, _, rest = request_line.partition(" ")
    address = rest.rpartition(" ")[0]
    if method not in ("GET", "HEAD") or not address:
        return make_answer(HTTPStatus.NOT_IMPLEMENTED, b""), False
    is_absolute = address.startswith("http://")
    parts = urlsplit(address if is_absolute else f"http://{headers.get('host', '')}{address}")
    target = (parts.path or "/") + (f"?{parts.query}" if parts.query else "")
    return web.answer((parts.hostname or "").rstrip("."), target), method == "HEAD"


async def serve(port: int) -> None:
    """Serves the demo web on a loopback port (0: any free one, printed) until SIGTERM or SIGINT."""
    web = DemoWeb(read_sites())
    server = await asyncio.start_server(
        lambda reader, writer: serve_connection(web, reader, writer), "127.0.0.1", port
    )
    stopped = asyncio.Event()
    for number in (signal.SIGTERM, signal.SIGINT):
        asyncio.get_running_loop().add_signal_handler(number, stopped.set)
    print(server.sockets[0].getsockname()[1], flush=True)
    await stopped.wait()
    server.close()


def main() -> None:
    """Command line of the module."""
    parser = argparse.ArgumentParser(description="Serves the demo web on a loopback port, as an HTTP proxy.")
    parser.add_argument("--port", type=int, default=0, help="0: any free one; the port is printed")
    port = parser.parse_args().port
    try:
        asyncio.run(serve(port))
    except OSError as error:
        sys.exit(f"the demo web cannot listen on port {port}: {error.strerror}")


if __name__ == "__main__":
    main()
