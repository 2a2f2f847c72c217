"""No method reaches an address that is not public: whatever spelling, redirect, name or proxy leads there.

The service runs with names of its own: `public.example` is at 127.0.0.2, which counts as public there;
`turning.example`
is there once and at 127.0.0.1 from then on. A server at 127.0.0.1 notes whoever comes.
"""

from __future__ import annotations

import threading
from collections.abc import Iterator
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import pytest

from hyphe_core.api.catalogue import all_methods
from hyphe_core.api.methods import Method, Needs, Role
from hyphe_core.api.parameters import CorpusName, ListOf
from memory_structure.corpus_records import CorpusOptions
from memory_structure.opening import open_registry
from tests.security.arguments import sample
from tests.service.service_process import Client, Failed, ServiceProcess, wait_until

CORPUS, WORN = "c", "worn"  # nothing of the second stays as it was
# Found by trying all methods where private addresses are allowed: see the first test.
FETCHING = {"lookup", "lookup_httpstatus", "parse.check", "startpages.check"}
# With these nothing would be fetched: the document is there already, or what is asked for is none.
LEFT_OUT = {"parse.check": {"document": None, "type": None, "stored": None}}
_NAMES = """
import ipaddress, socket
_real, _seen = socket.getaddrinfo, []
def _find(host, *rest, **named):
    name = host.decode() if isinstance(host, bytes) else host
    if name == "turning.example":
        _seen.append(name)
        name = "127.0.0.2" if len(_seen) % 2 else "127.0.0.1"
    known = {"public.example": "127.0.0.2", "inner.example": "127.0.0.1"}
    return _real(known.get(name, name), *rest, **named)
socket.getaddrinfo = _find
_was = ipaddress.IPv4Address.is_global.fget
ipaddress.IPv4Address.is_global = property(lambda self: str(self) == "127.0.0.2" or _was(self))
"""


@dataclass
class Web:
    """Two servers on one port: one inside, which nobody may reach, one that counts as public."""

    port: int
    inside: list[str] = field(default_factory=list)
    public: list[str] = field(default_factory=list)

    def url(self, host: str, path: str = "/") -> str:
        return f"http://{host}:{self.port}{path}"


def _handler(seen: list[str]) -> type[BaseHTTPRequestHandler]:
    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            """/no-head wants GET; /to/X redirects to http://X."""
            seen.append(f"{self.command} {self.path}")
            _, _, target = self.path.partition("/to/")
            no_head = self.path == "/no-head" and self.command == "HEAD"
            self.send_response(302 if target else 405 if no_head else 200)
            if target:
                self.send_header("Location", f"http://{target}")
            self.send_header("Content-Type", "text/html")
            self.send_header("Content-Length", "0")
            self.end_headers()

        do_HEAD = do_POST = do_CONNECT = do_GET

        def log_message(self, *_: Any) -> None:
            pass

    return Handler


@pytest.fixture(scope="module")
def web() -> Iterator[Web]:
    found = Web(0)
    servers = []
    for address, seen in (("127.0.0.1", found.inside), ("127.0.0.2", found.public)):
        server = ThreadingHTTPServer((address, found.port), _handler(seen))
        found.port = server.server_port
        threading.Thread(target=server.serve_forever, daemon=True).start()
        servers.append(server)
    yield found
    for server in servers:
        server.shutdown()
        server.server_close()


@pytest.fixture(autouse=True)
def fresh(web: Web) -> None:
    web.inside.clear()
    web.public.clear()


def _start(folder: Path, web: Web, **settings: object) -> ServiceProcess:
    registry = open_registry(folder / "data")
    prefixes = [f"s:http|t:{web.port}|h:127.0.0.1|", f"s:http|t:{web.port}|h:example|h:public|"]
    for corpus in (CORPUS, WORN):
        registry.create_corpus(corpus, CorpusOptions(delay_seconds=0.0))
        registry.set_started(corpus, True)
        registry.open_structure(corpus).declare_web_entity(prefixes)
    registry.close()
    (folder / "sitecustomize.py").write_text(_NAMES)
    with pytest.MonkeyPatch.context() as patched:
        patched.setenv("PYTHONPATH", str(folder))
        return ServiceProcess(folder / "data", **settings)


@pytest.fixture(scope="module")
def guarded(web: Web, tmp_path_factory: pytest.TempPathFactory) -> Iterator[ServiceProcess]:
    started = _start(tmp_path_factory.mktemp("guarded"), web, n_workers=1, n_retries=0)
    yield started
    started.stop()


@pytest.fixture(scope="module")
def allowing(web: Web, tmp_path_factory: pytest.TempPathFactory) -> Iterator[ServiceProcess]:
    started = _start(tmp_path_factory.mktemp("allowing"), web, allow_private_networks="true")
    yield started
    started.stop()


# -- all methods --------------------------------------------------------------------------------------------


def arguments(method: Method, url: str, entity: int) -> dict[str, Any]:
    """The URL wherever a text fits, the entity wherever a number does."""
    kinds = {p.name: p.kind for p in method.parameters}
    return {
        n: WORN if isinstance(kind, CorpusName) else sample(kind, url, entity) for n, kind in kinds.items()
    } | LEFT_OUT.get(method.name, {})


def call_everything(client: Client, url: str, is_seen: Any) -> set[str]:
    """Names of the methods that made somebody come. Those that end the corpus are left out."""
    found = set()
    for method in all_methods().list_methods():
        ends = method.role is Role.ADMIN or method.name in {"stop_corpus", "start_corpus"}
        if ends or method.needs is Needs.NONE or method.name.startswith("access."):
            continue
        # Made anew each time: a merge, a split or an undo may have ended the last one.
        entity = client.call("declare_page", url, WORN)["id"]
        client.post({"method": method.name, "params": arguments(method, url, entity)})
        if is_seen():
            found.add(method.name)
    return found


def test_these_are_the_methods_that_fetch(allowing: ServiceProcess, web: Web) -> None:
    def is_seen() -> bool:
        came = bool(web.inside)
        web.inside.clear()
        return came

    client = allowing.client()
    assert call_everything(client, web.url("127.0.0.1"), is_seen) == FETCHING


def test_no_method_reaches_a_private_address(guarded: ServiceProcess, web: Web) -> None:
    client = guarded.client()
    for host in ("127.0.0.1", "inner.example"):
        call_everything(client, web.url(host), lambda: False)
    client.call("crawl.cancel_all", WORN)
    assert web.inside == []


# -- the fetching ones --------------------------------------------------------------------------------------

SPELLINGS = [
    "127.0.0.1", "localhost", "LOCALHOST", "localhost.", "a.localhost", "[::1]", "0.0.0.0", "127.1",
    "2130706433", "0x7f000001", "0x7f.1", "017700000001", "[::ffff:127.0.0.1]", "[::ffff:7f00:1]", "[::]",
    "127.0.0.1.", "user:pw@127.0.0.1", "127\u30020\u30020\u30021", "\uff11\uff12\uff17.0.0.1",
    "inner.example", "INNER.example.", "[64:ff9b::7f00:1]",
]  # fmt: skip


def fetch(client: Client, method: str, url: str) -> Any:
    """The envelope of a fetching method, asked for one URL."""
    values: dict[str, Any] = {"corpus": CORPUS}
    for parameter in all_methods().get(method).parameters:
        if parameter.name.startswith("url"):
            values[parameter.name] = [url] if isinstance(parameter.kind, ListOf) else url
        elif parameter.is_required:
            values[parameter.name] = 1
    answer = client.post({"method": method, "params": values})
    return answer[0] if isinstance(answer, list) else answer


@pytest.mark.parametrize("method", sorted(FETCHING))
def test_a_public_address_is_reached(guarded: ServiceProcess, web: Web, method: str) -> None:
    """Else the tests below would show nothing."""
    assert fetch(guarded.client(), method, web.url("public.example"))["code"] == "success"
    assert web.public


@pytest.mark.parametrize("host", SPELLINGS)
@pytest.mark.parametrize("method", sorted(FETCHING))
def test_no_spelling_leads_inside(guarded: ServiceProcess, web: Web, method: str, host: str) -> None:
    fetch(guarded.client(), method, web.url(host, "/secret"))
    assert web.inside == []


@pytest.mark.parametrize("method", sorted(FETCHING))
@pytest.mark.parametrize("host", ["127.0.0.1", "inner.example", "[::ffff:127.0.0.1]"])
def test_no_redirect_leads_inside(guarded: ServiceProcess, web: Web, method: str, host: str) -> None:
    fetch(guarded.client(), method, web.url("public.example", f"/to/{host}:{web.port}/secret"))
    assert web.public
    assert web.inside == []


@pytest.mark.parametrize("method", sorted(FETCHING))
def test_a_name_that_changes_its_mind_gains_nothing(guarded: ServiceProcess, web: Web, method: str) -> None:
    """Each look-up is judged, and the connection made to the very address that was."""
    for _ in range(4):
        fetch(guarded.client(), method, web.url("turning.example", "/no-head"))
    assert web.inside == []


@pytest.mark.parametrize("method", sorted(FETCHING))
@pytest.mark.parametrize("proxy", ["inner.example", "0x7f.1"])
def test_no_proxy_that_a_client_named_is_inside(
    guarded: ServiceProcess, web: Web, method: str, proxy: str
) -> None:
    client = guarded.client()
    client.call("set_corpus_options", CORPUS, {"proxy": {"host": proxy, "port": web.port}})
    for scheme in ("http", "https"):
        fetch(client, method, f"{scheme}://public.example:{web.port}/")
    client.call("set_corpus_options", CORPUS, {"proxy": {"host": "", "port": 0}})
    assert web.inside == []


@pytest.mark.parametrize("proxy", ["127.0.0.1", "localhost", "[::1]", "10.0.0.1", "169.254.169.254"])
def test_a_proxy_written_as_a_private_address_is_refused_at_once(
    guarded: ServiceProcess, web: Web, proxy: str
) -> None:
    client = guarded.client()
    with pytest.raises(Failed, match="proxy"):
        client.call("set_corpus_options", CORPUS, {"proxy": {"host": proxy.strip("[]"), "port": web.port}})
    answer = client.envelope("crawl_webentity", webentity_id=1, proxy=f"{proxy}:{web.port}", corpus=CORPUS)
    assert answer["code"] == "fail"
    assert "private" in answer["message"]


def test_permission_cannot_be_given_by_a_client(guarded: ServiceProcess) -> None:
    client = guarded.client()
    with pytest.raises(Failed, match="not permitted"):
        client.call("set_corpus_options", CORPUS, {"allow_private_networks": True})
    with pytest.raises(Failed, match="not permitted"):
        client.call("create_corpus", "Mine", "", {"allow_private_networks": True})


def test_a_crawl_goes_inside_neither_by_itself_nor_by_redirect_nor_by_proxy(
    guarded: ServiceProcess, web: Web
) -> None:
    client = guarded.client()
    (entity,) = client.call("store.get_webentity", 1, CORPUS)
    client.call("store.rm_webentity_startpages", 1, entity["startpages"], CORPUS)
    inward = web.url("public.example", f"/to/127.0.0.1:{web.port}/secret")
    for url in (web.url("127.0.0.1", "/direct"), inward):
        client.call("store.add_webentity_startpage", 1, url, CORPUS)
    client.call("crawl_webentity", webentity_id=1, depth=1, corpus=CORPUS)
    proxied = f"inner.example:{web.port}"
    client.call("crawl_webentity", webentity_id=1, depth=0, proxy=proxied, corpus=CORPUS)

    def have_ended() -> bool:
        return all(job["crawling_status"] == "FINISHED" for job in client.call("listjobs", corpus=CORPUS))

    wait_until(have_ended, 60)
    assert f"GET /to/127.0.0.1:{web.port}/secret" in web.public
    assert web.inside == []
