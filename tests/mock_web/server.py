"""A web that misbehaves, over real sockets: `python -m tests.mock_web.server` prints its port and serves.

It is an HTTP proxy (absolute-form requests, any host) and answers direct requests alike. What a path does is
in
`ROUTES`; `GET /__seen__` on any host tells what was asked for: a JSON list of [seconds, host, path, headers].
"""

from __future__ import annotations

import asyncio
import gzip
import json
import socket
import struct
import sys
import time
from collections import Counter
from collections.abc import Awaitable, Callable

Handler = Callable[["Exchange"], Awaitable[None]]
ROUTES: dict[str, Handler] = {}
ROBOTS: dict[str, Handler] = {}
SEEN: list[tuple[float, str, str, dict[str, str]]] = []
BUSY: Counter[str] = Counter()
PEAK: Counter[str] = Counter()


class Exchange:
    """One request, and the socket to misbehave on."""

    def __init__(self, host: str, path: str, headers: dict[str, str], writer: asyncio.StreamWriter) -> None:
        self.host = host
        self.path = path
        self.headers = headers
        self.writer = writer
        self.n_before = sum(h == host and p == path for _, h, p, _ in SEEN) - 1

    async def raw(self, data: bytes) -> None:
        self.writer.write(data)
        await self.writer.drain()

    async def answer(self, body: bytes = b"", status: str = "200 OK", **headers: str) -> None:
        lines = {"Content-Type": "text/html; charset=utf-8", "Content-Length": str(len(body))}
        lines |= {name.replace("_", "-"): value for name, value in headers.items()}
        head = "".join(f"{name}: {value}\r\n" for name, value in lines.items())
        await self.raw(f"HTTP/1.1 {status}\r\n{head}\r\n".encode("latin-1") + body)

    def reset(self) -> None:
        sock = self.writer.get_extra_info("socket")
        sock.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
        self.writer.transport.abort()


def route(path: str) -> Callable[[Handler], Handler]:
    def keep(handler: Handler) -> Handler:
        ROUTES[path] = handler
        return handler

    return keep


def robots(host: str) -> Callable[[Handler], Handler]:
    def keep(handler: Handler) -> Handler:
        ROBOTS[host] = handler
        return handler

    return keep


def page(*links: str, title: str = "page", head: str = "") -> bytes:
    anchors = "".join(f'<p><a href="{link}">{link}</a></p>' for link in links)
    start = f"<!DOCTYPE html><html><head><title>{title}</title>{head}</head>"
    return f"{start}<body>{anchors}</body></html>".encode()


HOSTILE = (
    "/endless-chunked /endless /drip /wrong-encoding /bomb /double-gzip /unknown-encoding /header-garbage "
    "/not-http /reset /close /cut /cut-once /self /loop-a /latin1-location /space-location /no-location "
    "/bad-location /huge-declared /flaky /hang /error-links /empty /no-length /deflate /to-other /nofollow "
    "/xnofollow /refresh /refresh-later /pdf /feed /plain /status-999 /many-headers /loop/loop/loop/x"
).split()


@route("/")
async def _home(exchange: Exchange) -> None:
    await exchange.answer(page(*HOSTILE, title="home", head='<link rel="alternate" href="/head-link">'))


@route("/endless-chunked")
async def _endless_chunked(exchange: Exchange) -> None:
    await exchange.raw(b"HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nTransfer-Encoding: chunked\r\n\r\n")
    while True:
        await exchange.raw(b"1000\r\n" + b"x" * 4096 + b"\r\n")


@route("/endless")
async def _endless(exchange: Exchange) -> None:
    await exchange.raw(b"HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n\r\n")
    while True:
        await exchange.raw(b"y" * 4096)


@route("/drip")
async def _drip(exchange: Exchange) -> None:
    await exchange.raw(b"HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nContent-Length: 1000\r\n\r\n")
    for _ in range(1000):
        await exchange.raw(b"z")
        await asyncio.sleep(0.1)


@route("/hang")
async def _hang(exchange: Exchange) -> None:
    await asyncio.sleep(60)


@route("/wrong-encoding")
async def _wrong_encoding(exchange: Exchange) -> None:
    await exchange.answer(page("/never-1"), Content_Encoding="gzip")


@route("/unknown-encoding")
async def _unknown_encoding(exchange: Exchange) -> None:
    await exchange.answer(page("/never-2"), Content_Encoding="rot13")


@route("/bomb")
async def _bomb(exchange: Exchange) -> None:
    await exchange.answer(gzip.compress(bytes(30_000_000)), Content_Encoding="gzip")


@route("/double-gzip")
async def _double_gzip(exchange: Exchange) -> None:
    body = gzip.compress(gzip.compress(page("/from-double-gzip")))
    await exchange.answer(body, Content_Encoding="gzip, gzip")


@route("/deflate")
async def _deflate(exchange: Exchange) -> None:
    import zlib

    engine = zlib.compressobj(wbits=-15)
    body = engine.compress(page("/from-deflate")) + engine.flush()
    await exchange.answer(body, Content_Encoding="deflate")


@route("/header-garbage")
async def _header_garbage(exchange: Exchange) -> None:
    body = page("/from-garbage")
    await exchange.raw(
        b"HTTP/1.1 200 OK\r\nthis line has no colon\r\nX-B\xe9: \xff\xfe\r\nContent-Type: text/html\r\n"
        + b"Content-Length: %d\r\n\r\n" % len(body)
        + body
    )


@route("/many-headers")
async def _many_headers(exchange: Exchange) -> None:
    await exchange.answer(page("/from-many-headers"), **{f"X_{i}": "v" * 100 for i in range(300)})


@route("/not-http")
async def _not_http(exchange: Exchange) -> None:
    await exchange.raw(b"SSH-2.0-OpenSSH_9.2\r\n\r\n")
    exchange.writer.close()


@route("/status-999")
async def _status_999(exchange: Exchange) -> None:
    await exchange.answer(page("/never-3"), status="999 Go away")


@route("/reset")
async def _reset(exchange: Exchange) -> None:
    exchange.reset()


@route("/close")
async def _close(exchange: Exchange) -> None:
    exchange.writer.close()


@route("/cut")
async def _cut(exchange: Exchange) -> None:
    await exchange.raw(
        b"HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nContent-Length: 5000\r\n\r\n" + page("/never-4")
    )
    exchange.writer.close()


@route("/cut-once")
async def _cut_once(exchange: Exchange) -> None:
    if exchange.n_before:
        await exchange.answer(page("/from-cut-once"))
    else:
        await _cut(exchange)


@route("/self")
async def _self(exchange: Exchange) -> None:
    await exchange.answer(status="302 Found", Location="/self")


@route("/loop-a")
async def _loop_a(exchange: Exchange) -> None:
    await exchange.answer(status="301 Moved", Location="/loop-b")


@route("/loop-b")
async def _loop_b(exchange: Exchange) -> None:
    await exchange.answer(status="301 Moved", Location="/loop-a")


@route("/latin1-location")
async def _latin1_location(exchange: Exchange) -> None:
    await exchange.raw(b"HTTP/1.1 302 Found\r\nContent-Length: 0\r\nLocation: /caf\xe9\r\n\r\n")


@route("/caf%C3%A9")
async def _cafe(exchange: Exchange) -> None:
    await exchange.answer(page())


@route("/space-location")
async def _space_location(exchange: Exchange) -> None:
    await exchange.answer(status="302 Found", Location="  /a b ")


@route("/a%20b")
async def _a_b(exchange: Exchange) -> None:
    await exchange.answer(page())


@route("/no-location")
async def _no_location(exchange: Exchange) -> None:
    await exchange.answer(status="302 Found")


@route("/bad-location")
async def _bad_location(exchange: Exchange) -> None:
    await exchange.answer(status="302 Found", Location="mailto:someone@site.example")


@route("/to-other")
async def _to_other(exchange: Exchange) -> None:
    await exchange.answer(status="302 Found", Location="http://other.example/landing")


@route("/huge-declared")
async def _huge_declared(exchange: Exchange) -> None:
    await exchange.raw(b"HTTP/1.1 200 OK\r\nContent-Type: video/mp4\r\nContent-Length: 5000000000\r\n\r\nabc")
    await asyncio.sleep(30)


@route("/flaky")
async def _flaky(exchange: Exchange) -> None:
    if exchange.n_before:
        await exchange.answer(page("/from-flaky"))
    else:
        await exchange.answer(b"busy", status="503 Service Unavailable", Retry_After="1")


@route("/error-links")
async def _error_links(exchange: Exchange) -> None:
    await exchange.answer(page("/never-5"), status="404 Not Found")


@route("/empty")
async def _empty(exchange: Exchange) -> None:
    await exchange.answer(b"")


@route("/no-length")
async def _no_length(exchange: Exchange) -> None:
    await exchange.raw(b"HTTP/1.0 200 OK\r\nContent-Type: text/html\r\n\r\n" + page("/from-no-length"))
    exchange.writer.close()


@route("/nofollow")
async def _nofollow(exchange: Exchange) -> None:
    await exchange.answer(page("/never-6", head='<meta name="robots" content="nofollow">'))


@route("/xnofollow")
async def _xnofollow(exchange: Exchange) -> None:
    await exchange.answer(page("/never-7"), X_Robots_Tag="nofollow")


@route("/refresh")
async def _refresh(exchange: Exchange) -> None:
    head = '<meta http-equiv="refresh" content="0; url=/refreshed">'
    await exchange.answer(page("/beside-refresh", head=head))


@route("/refresh-later")
async def _refresh_later(exchange: Exchange) -> None:
    await exchange.answer(page(head='<meta http-equiv="refresh" content="5; url=/refreshed-later">'))


@route("/pdf")
async def _pdf(exchange: Exchange) -> None:
    await exchange.answer(b"%PDF-1.4\n<a href='/never-8'>x</a>", Content_Type="application/pdf")


@route("/feed")
async def _feed(exchange: Exchange) -> None:
    body = b"<?xml version='1.0'?><rss><channel><item><link>http://hostile.example/never-9</link></item></channel></rss>"
    await exchange.answer(body, Content_Type="application/rss+xml")


@route("/plain")
async def _plain(exchange: Exchange) -> None:
    await exchange.answer(page("/never-10"), Content_Type="text/plain")


@route("/echo")
async def _echo(exchange: Exchange) -> None:
    await exchange.answer(json.dumps(exchange.headers).encode(), Content_Type="application/json")


@route("/to-private")
async def _to_private(exchange: Exchange) -> None:
    await exchange.answer(status="302 Found", Location="http://127.0.0.1:9/secret")


@route("/slow")
async def _slow(exchange: Exchange) -> None:
    await asyncio.sleep(0.4)
    await exchange.answer(page())


@robots("forbidding.example")
async def _forbidding(exchange: Exchange) -> None:
    await exchange.answer(b"User-agent: *\nDisallow: /no/\n", Content_Type="text/plain")


@robots("closed.example")
async def _closed(exchange: Exchange) -> None:
    await exchange.answer(b"User-agent: *\nDisallow: /\n", Content_Type="text/plain")


@robots("broken-robots.example")
async def _broken_robots(exchange: Exchange) -> None:
    await exchange.answer(b"oops", status="500 Oops")


@robots("hanging-robots.example")
async def _hanging_robots(exchange: Exchange) -> None:
    await asyncio.sleep(60)


@robots("moved-robots.example")
async def _moved_robots(exchange: Exchange) -> None:
    await exchange.answer(status="301 Moved", Location="http://forbidding.example/robots.txt")


@robots("html-robots.example")
async def _html_robots(exchange: Exchange) -> None:
    await exchange.answer(page("/x", title="404 but 200"))


@robots("forbidden-robots.example")
async def _forbidden_robots(exchange: Exchange) -> None:
    await exchange.answer(b"no", status="403 Forbidden")


@robots("slow-robots.example")
async def _slow_robots(exchange: Exchange) -> None:
    await exchange.answer(b"User-agent: *\nCrawl-delay: 0.7\n", Content_Type="text/plain")


async def _site(exchange: Exchange) -> None:
    """Any other path: the root of small hosts links to two pages, one of them under /no/."""
    if exchange.path == "/small":
        await exchange.answer(page("/yes/1", "/no/1"))
    elif exchange.path.startswith("/chain"):
        n = int(exchange.path[6:] or 0)
        await exchange.answer(page(f"/chain{n + 1}"))
    elif exchange.path.startswith("/fan"):
        await exchange.answer(page(*(f"/slow?{i}" for i in range(40))))
    else:
        await exchange.answer(page())


async def _serve(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    try:
        while True:
            head = (await reader.readuntil(b"\r\n\r\n")).decode("latin-1")
            if not await _answer(head, writer):
                return
    except (asyncio.IncompleteReadError, ConnectionError, OSError):
        pass
    finally:
        writer.close()


async def _answer(head: str, writer: asyncio.StreamWriter) -> bool:
    first, *lines = head.split("\r\n")
    _, target, _ = first.split(" ", 2)
    headers = {k.lower(): v.strip() for k, _, v in (line.partition(":") for line in lines if line)}
    host, path = headers.get("host", ""), target
    if target.startswith("http://"):
        host, _, rest = target[7:].partition("/")
        path = "/" + rest
    if path == "/__seen__":
        await Exchange(host, path, headers, writer).answer(json.dumps([SEEN, PEAK]).encode())
        return True
    SEEN.append((time.monotonic(), host, path, headers))
    exchange = Exchange(host, path, headers, writer)
    BUSY[host] += 1
    PEAK[host] = max(PEAK[host], BUSY[host])
    try:
        await _handler(exchange)(exchange)
    finally:
        BUSY[host] -= 1
    return not writer.is_closing()


def _handler(exchange: Exchange) -> Handler:
    if exchange.path == "/robots.txt":
        return ROBOTS.get(exchange.host, _no_robots)
    return ROUTES.get(exchange.path) or ROUTES.get(exchange.path.partition("?")[0]) or _site


async def _no_robots(exchange: Exchange) -> None:
    await exchange.answer(b"nothing", status="404 Not Found")


async def main() -> None:
    server = await asyncio.start_server(_serve, "127.0.0.1", 0, limit=1 << 20)
    sys.stdout.write(f"{server.sockets[0].getsockname()[1]}\n")
    sys.stdout.flush()
    await server.serve_forever()


if __name__ == "__main__":
    try:
        asyncio.run(main())
    except KeyboardInterrupt:
        sys.exit(0)
