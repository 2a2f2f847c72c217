"""The HTTP client and the download handler against a small server of bytes on loopback."""

from __future__ import annotations

import asyncio
import socket
from collections.abc import Awaitable, Callable
from types import SimpleNamespace
from typing import Any

import pytest
from aiohttp import ClientConnectorDNSError, ClientHttpProxyError, ClientOSError, ServerDisconnectedError
from scrapy.exceptions import DownloadCancelledError, DownloadTimeoutError
from twisted.web.http_headers import Headers

from hyphe_core.crawl import download
from hyphe_core.crawl.client import CrawlClient, OddExchange
from hyphe_core.crawl.download import JobDownloadHandler
from hyphe_core.crawl.failures import classify_failure
from hyphe_core.crawl.page_work import Answer
from hyphe_core.crawl.tickets import Ticket
from hyphe_core.errors import AddressRefused
from memory_structure.records import FetchError
from tests.unit.hyphe_core.crawl.simulation import spec_of

OK = b"HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nhi"
HEADERS = Headers({b"User-Agent": [b"t/1"], b"Accept": [b"a/b"], b"Accept-Encoding": [b"gzip"]})


class Server:
    """Answers each path with the bytes given for it, on connections it keeps open unless they are cut."""

    def __init__(self, port: int) -> None:
        self.port = port
        self.heads: list[str] = []
        self.n_connections = 0
        self.answers: dict[str, bytes] = {}
        self.cuts = False

    def url(self, path: str = "/", host: str = "127.0.0.1") -> str:
        return f"http://{host}:{self.port}{path}"

    async def serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self.n_connections += 1
        try:
            while True:
                head = (await reader.readuntil(b"\r\n\r\n")).decode("latin-1")
                self.heads.append(head)
                writer.write(self.answers.get(head.split(" ")[1], OK))
                await writer.drain()
                if self.cuts:
                    return
        except (asyncio.IncompleteReadError, ConnectionError):
            pass
        finally:
            writer.close()


def ticket_for(url: str, **settings: object) -> Ticket:
    given = {"allow_private_networks": True} | settings
    job: Any = SimpleNamespace(spec=spec_of(url, **given), proxy=given.get("proxy"))
    slot: Any = None
    return Ticket(job, slot, url, "")


def run(scenario: Callable[[Server, CrawlClient], Awaitable[None]]) -> None:
    async def main() -> None:
        server = Server(0)
        async with await asyncio.start_server(server.serve, "127.0.0.1", 0) as listening:
            server.port = listening.sockets[0].getsockname()[1]
            client = CrawlClient()
            try:
                await scenario(server, client)
            finally:
                await client.close()

    asyncio.run(main())


def fetched(answer: bytes, *, cuts: bool = True, **settings: object) -> Answer:
    found: list[Answer] = []

    async def scenario(server: Server, client: CrawlClient) -> None:
        server.answers["/"], server.cuts = answer, cuts
        found.append(await client.fetch(ticket_for(server.url(), **settings), HEADERS))

    run(scenario)
    return found[0]


@pytest.mark.parametrize("path", ["/a%2Fb?q='%zz|`&&=", "/a/../b//c;d", "/%e9?x=%E9"])
def test_the_url_goes_out_verbatim_with_the_headers_given_and_no_others(path: str) -> None:
    async def scenario(server: Server, client: CrawlClient) -> None:
        answer = await client.fetch(ticket_for(server.url(path)), HEADERS)
        assert (answer.status, answer.body, answer.error) == (200, b"hi", None)
        lines = server.heads[0].strip().split("\r\n")
        assert lines[0] == f"GET {path} HTTP/1.1"
        assert sorted(lines[1:]) == [
            "Accept-Encoding: gzip",
            "Accept: a/b",
            f"Host: 127.0.0.1:{server.port}",
            "User-Agent: t/1",
        ]

    run(scenario)


@pytest.mark.parametrize(
    "url", ["http://e.fr/?", "http://e.fr:80/", "http://me:pw@e.fr/", "http://e.fr:99999/"]
)
def test_a_url_that_would_be_rewritten_is_left_to_others(url: str) -> None:
    async def scenario(server: Server, client: CrawlClient) -> None:
        with pytest.raises(OddExchange):
            await client.fetch(ticket_for(url), HEADERS)

    run(scenario)


@pytest.mark.parametrize(
    "answer",
    [
        b"HTTP/1.1 200 OK\r\nno colon here\r\nContent-Length: 2\r\n\r\nhi",
        b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\nContent-Length: 2\r\n\r\n0\r\n\r\n",
        b"SSH-2.0-OpenSSH_9.2\r\n\r\n",
    ],
)
def test_an_answer_that_is_not_quite_http_is_left_to_others(answer: bytes) -> None:
    with pytest.raises(OddExchange):
        fetched(answer)


@pytest.mark.parametrize(
    ("answer", "error", "body"),
    [
        (b"HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\nabc", FetchError.TRUNCATED, b"abc"),
        (b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n", FetchError.TRUNCATED, b"abc"),
        (b"HTTP/1.1 200 OK\r\nContent-Length: 11\r\n\r\n", FetchError.TOO_LARGE, b""),
        (b"HTTP/1.1 200 OK\r\n\r\n" + b"x" * 11, FetchError.TOO_LARGE, b""),
        (b"HTTP/1.1 200 OK\r\n\r\n" + b"x" * 10, None, b"x" * 10),
        (b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n2\r\nhi\r\n0\r\n\r\n", None, b"hi"),
        (b"HTTP/1.1 304 Not\r\nContent-Length: 900\r\n\r\n", None, b""),
        (b"HTTP/1.1 999 Away\r\nContent-Length: 2\r\n\r\nhi", None, b"hi"),
        (b"HTTP/1.1 200 OK\r\nContent-Encoding: gzip\r\nContent-Length: 2\r\n\r\nhi", None, b"hi"),
    ],
)
def test_bodies_are_bounded_and_kept_as_received(
    answer: bytes, error: FetchError | None, body: bytes
) -> None:
    found = fetched(answer, max_body_bytes=10)
    assert found.status == int(answer.split(b" ")[1])
    assert (found.error, found.body) == (error, body)


def test_an_endless_body_is_left_at_the_limit_though_the_server_keeps_the_connection() -> None:
    found = fetched(b"HTTP/1.1 200 OK\r\n\r\n" + b"x" * 11, cuts=False, max_body_bytes=10)
    assert found.error is FetchError.TOO_LARGE


def test_wanted_headers_alone_are_read_in_utf_8_or_latin_1() -> None:
    found = fetched(
        b"HTTP/1.1 302 F\r\nlocation: /caf\xe9\r\nLink: <\xc3\xa9>\r\nLINK: b\r\nX-Other: 1\r\n"
        b"Set-Cookie: a=b\r\nContent-Length: 0\r\n\r\n"
    )
    assert found.headers == {"location": ["/café"], "link": ["<é>", "b"]}


def test_many_and_long_headers_are_read() -> None:
    lines = b"".join(b"X-%d: %s\r\n" % (i, b"v" * 100) for i in range(300)) + b"X: " + b"l" * 60_000
    assert fetched(b"HTTP/1.1 200 OK\r\n" + lines + b"\r\nContent-Length: 2\r\n\r\nhi").body == b"hi"


def test_connections_are_used_again_and_pools_are_apart(monkeypatch: pytest.MonkeyPatch) -> None:
    """A name that was public for one job and is reached at a private address by another: the open connection
    to it is not shared."""

    async def scenario(server: Server, client: CrawlClient) -> None:
        url = server.url(host="intranet.example")
        monkeypatch.setattr(socket, "getaddrinfo", lambda *_, **__: [found_at("127.0.0.1", server.port)])
        for _ in range(2):
            await client.fetch(ticket_for(url), HEADERS)
        assert server.n_connections == 1
        with pytest.raises(AddressRefused, match=r"127\.0\.0\.1 is not a public address"):
            await client.fetch(ticket_for(url, allow_private_networks=False), HEADERS)
        assert len(server.heads) == 2

    run(scenario)


def found_at(address: str, port: int) -> tuple[Any, ...]:
    return (socket.AF_INET, socket.SOCK_STREAM, 6, "", (address, port))


@pytest.mark.parametrize(
    "host",
    ["127.0.0.1", "127.1", "2130706433", "0x7f.1", "0x7f000001", "[::1]", "[::ffff:127.0.0.1]", "localhost"],
)
def test_private_addresses_are_refused_in_every_spelling(host: str) -> None:
    async def scenario(server: Server, client: CrawlClient) -> None:
        with pytest.raises(AddressRefused):
            await client.fetch(ticket_for(server.url(host=host), allow_private_networks=False), HEADERS)
        assert server.n_connections == 0

    run(scenario)


def test_a_proxy_gets_the_whole_url_and_its_credentials_and_may_be_private() -> None:
    async def scenario(server: Server, client: CrawlClient) -> None:
        headers = HEADERS.copy()
        headers.setRawHeaders(b"Proxy-Authorization", [b"Basic bWU6cHc="])
        proxy = f"http://me:pw@127.0.0.1:{server.port}"
        plain, secure = (
            ticket_for(f"{scheme}://site.example/a", proxy=proxy, allow_private_networks=False)
            for scheme in ("http", "https")
        )
        assert (await client.fetch(plain, headers)).body == b"hi"
        assert server.heads[0].startswith("GET http://site.example/a HTTP/1.1\r\nHost: site.example\r\n")
        assert server.heads[0].count("Basic bWU6cHc=") == 1
        server.answers["site.example:443"] = b"HTTP/1.1 403 No\r\nContent-Length: 0\r\n\r\n"
        with pytest.raises(ClientHttpProxyError) as refused:
            await client.fetch(secure, headers)
        assert classify_failure(refused.value, through_proxy=True)[0] is FetchError.PROXY
        assert server.heads[1].startswith("CONNECT site.example:443 ")
        assert server.heads[1].count("Basic bWU6cHc=") == 1

    run(scenario)


def test_connections_to_a_proxy_serve_all_hosts_and_a_proxy_that_is_not_there_is_named() -> None:
    async def scenario(server: Server, client: CrawlClient) -> None:
        for host in ("a.example", "b.example:81"):
            await client.fetch(ticket_for(f"http://{host}/", proxy=server.url()), HEADERS)
        assert server.n_connections == 1
        assert server.heads[1].startswith("GET http://b.example:81/ HTTP/1.1\r\nHost: b.example:81\r\n")
        with socket.socket() as unused:
            unused.bind(("127.0.0.1", 0))
            nowhere = f"127.0.0.1:{unused.getsockname()[1]}"
            with pytest.raises(ClientOSError) as failed:
                await client.fetch(ticket_for("http://a.example/", proxy=nowhere), HEADERS)
        assert classify_failure(failed.value, through_proxy=True)[0] is FetchError.PROXY

    run(scenario)


def test_through_a_proxy_an_address_written_out_is_refused() -> None:
    async def scenario(server: Server, client: CrawlClient) -> None:
        ticket = ticket_for("http://10.0.0.1/", proxy=server.url(), allow_private_networks=False)
        with pytest.raises(AddressRefused):
            await client.fetch(ticket, HEADERS)
        assert server.n_connections == 0

    run(scenario)


def test_a_server_that_is_not_there_and_a_name_that_is_none(monkeypatch: pytest.MonkeyPatch) -> None:
    async def scenario(server: Server, client: CrawlClient) -> None:
        kinds = []
        with socket.socket() as unused:
            unused.bind(("127.0.0.1", 0))
            closed = f"http://127.0.0.1:{unused.getsockname()[1]}/"
            for url in (closed, "http://nowhere.invalid/"):
                try:
                    await client.fetch(ticket_for(url), HEADERS)
                except Exception as error:
                    kinds.append(classify_failure(error, through_proxy=False)[0])
        assert kinds == [FetchError.CONNECTION, FetchError.DNS]

    def unknown(*_: object, **__: object) -> None:
        raise socket.gaierror(socket.EAI_NONAME, "Name or service not known")

    monkeypatch.setattr(socket, "getaddrinfo", unknown)
    run(scenario)


def test_plain_http_where_tls_was_expected_is_a_tls_failure() -> None:
    async def scenario(server: Server, client: CrawlClient) -> None:
        async def answer_plainly(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
            await reader.read(100)
            writer.write(OK)
            writer.close()

        async with await asyncio.start_server(answer_plainly, "127.0.0.1", 0) as plain:
            port = plain.sockets[0].getsockname()[1]
            with pytest.raises(ClientOSError) as failed:
                await client.fetch(ticket_for(f"https://127.0.0.1:{port}/"), HEADERS)
        assert classify_failure(failed.value, through_proxy=False)[0] is FetchError.TLS

    run(scenario)


def test_a_connection_lost_before_the_answer() -> None:
    with pytest.raises(ServerDisconnectedError) as failed:
        fetched(b"")
    assert classify_failure(failed.value, through_proxy=False)[0] is FetchError.CONNECTION


def test_an_unknown_host_behind_a_proxy_is_the_proxy() -> None:
    error = ClientConnectorDNSError(SimpleNamespace(host="p", port=1, ssl=None), OSError("no"))  # type: ignore[arg-type]
    assert classify_failure(error, through_proxy=True)[0] is FetchError.PROXY


class Tolerant:
    """In the place of the tolerant client: takes note of what is asked of it."""

    def __init__(self, crawler: object) -> None:
        self.urls: list[str] = []

    async def fetch(self, request: Any, ticket: Ticket, headers: Headers) -> Answer:
        self.urls.append(ticket.url)
        return Answer(200, {}, b"read all the same")

    async def close(self) -> None:
        pass


@pytest.fixture
def tolerant(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(download, "TolerantClient", Tolerant)


def handle(scenario: Callable[[Server, JobDownloadHandler], Awaitable[None]]) -> None:
    async def with_handler(server: Server, client: CrawlClient) -> None:
        crawler: Any = None
        handler = JobDownloadHandler(crawler)
        try:
            await scenario(server, handler)
        finally:
            await handler.close()

    run(with_handler)


def request_of(ticket: Ticket) -> Any:
    return SimpleNamespace(url=ticket.url, meta={"ticket": ticket, "tx_headers": HEADERS})


@pytest.mark.usefixtures("tolerant")
def test_what_aiohttp_cannot_read_goes_to_the_tolerant_client_as_all_else_of_that_server() -> None:
    async def scenario(server: Server, handler: JobDownloadHandler) -> None:
        server.answers["/odd"] = b"HTTP/1.1 200 OK\r\nno colon here\r\n\r\n"
        before, odd, after = (ticket_for(server.url(path)) for path in ("/before", "/odd", "/after"))
        bodies = []
        for ticket in (before, odd, after):
            response: Any = await handler.download_request(request_of(ticket))
            bodies.append(response.answer.body)
        assert bodies == [b"hi", b"read all the same", b"read all the same"]
        stand_in: Any = handler._tolerant
        assert stand_in.urls == [odd.url, after.url]
        assert len(server.heads) == 2

    handle(scenario)


@pytest.mark.usefixtures("tolerant")
@pytest.mark.parametrize("begun", [b"", b"HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\nabc"])
def test_a_request_ends_at_its_time_or_when_it_is_cancelled(begun: bytes) -> None:
    async def scenario(server: Server, handler: JobDownloadHandler) -> None:
        server.answers["/"] = begun
        late = ticket_for(server.url(), timeout_seconds=0.05)
        with pytest.raises(DownloadTimeoutError):
            await handler.download_request(request_of(late))
        ticket = ticket_for(server.url(), timeout_seconds=60)
        download_of = asyncio.ensure_future(handler.download_request(request_of(ticket)))
        while len(server.heads) < 2:
            await asyncio.sleep(0.01)
        ticket.cancel()
        with pytest.raises(DownloadCancelledError):
            await download_of
        with pytest.raises(DownloadCancelledError):
            await handler.download_request(request_of(ticket))

    handle(scenario)


@pytest.mark.parametrize("host", ["localhost", "127.0.0.1", "moved-here.example"])
def test_a_proxy_that_a_client_named_is_never_asked_at_a_private_address(
    monkeypatch: pytest.MonkeyPatch, host: str
) -> None:
    """Whatever its name; and the operator's own connection to it is not borrowed."""
    real = socket.getaddrinfo

    def pointed_here(name: str, *rest: Any, **named: Any) -> Any:
        return real("127.0.0.1" if name == "moved-here.example" else name, *rest, **named)

    monkeypatch.setattr(socket, "getaddrinfo", pointed_here)

    async def scenario(server: Server, client: CrawlClient) -> None:
        proxy = server.url("", host).rstrip("/")
        trusted = ticket_for("http://site.example/", proxy=proxy, allow_private_networks=False)
        assert (await client.fetch(trusted, HEADERS)).status == 200
        named = ticket_for(
            "http://site.example/", proxy=proxy, guards_proxy=True, allow_private_networks=False
        )
        with pytest.raises(AddressRefused):
            await client.fetch(named, HEADERS)
        assert len(server.heads) == 1

    run(scenario)
