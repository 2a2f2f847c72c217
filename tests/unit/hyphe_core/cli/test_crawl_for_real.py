"""`hyphe crawl` as a process of its own, with real workers, on a small web of this machine."""

from __future__ import annotations

import csv
import io
import json
import os
import re
import signal
import subprocess
import sys
import threading
import time
from collections import Counter
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest

pytestmark = pytest.mark.slow

ROOT = Path(__file__).parents[4]
N_LEAVES = 12

# The state and the number of pages of a job that fetched all there is.
WHOLE = re.compile(rf"([a-z]+) +{N_LEAVES + 1}\b")


class SmallWeb:
    """One page that links to leaves and to the other name of this machine; counts what is asked for."""

    def __init__(self) -> None:
        self.hits: Counter[str] = Counter()
        web = self

        class Handler(BaseHTTPRequestHandler):
            def do_GET(self) -> None:
                web.answer(self)

            def log_message(self, *_: object) -> None:
                return None

        self._server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self._server.daemon_threads = True
        self.port = self._server.server_port
        self._thread = threading.Thread(target=self._server.serve_forever, daemon=True)
        self._thread.start()

    def url(self, path: str = "/", host: str = "127.0.0.1") -> str:
        return f"http://{host}:{self.port}{path}"

    def answer(self, handler: BaseHTTPRequestHandler) -> None:
        host = handler.headers["Host"].partition(":")[0]
        self.hits[f"{host}{handler.path}"] += 1
        status, body = 200, "<title>leaf</title>"
        if handler.path == "/robots.txt":
            status, body = 404, ""
        elif handler.path == "/":
            leaves = "".join(f'<a href="/leaf{n}">{n}</a>' for n in range(N_LEAVES))
            body = f"<title>home</title>{leaves}<a href='{self.url('/', 'localhost')}'>other</a>"
        octets = body.encode()
        handler.send_response(status)
        handler.send_header("Content-Type", "text/html")
        handler.send_header("Content-Length", str(len(octets)))
        handler.end_headers()
        handler.wfile.write(octets)

    def close(self) -> None:
        self._server.shutdown()
        self._server.server_close()


@pytest.fixture
def web() -> Iterator[SmallWeb]:
    web = SmallWeb()
    yield web
    web.close()


class Hyphe:
    """Starts `hyphe` on a data folder of its own."""

    def __init__(self, data: Path) -> None:
        self.data = data
        self.environment = {k: v for k, v in os.environ.items() if not k.startswith("HYPHE_")}

    def start(self, *arguments: str, stdin: int | None = subprocess.DEVNULL) -> subprocess.Popen[str]:
        return subprocess.Popen(
            [sys.executable, "-m", "hyphe_core.cli", *arguments, "--data-dir", str(self.data)],
            cwd=ROOT,
            env=self.environment,
            stdin=stdin,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )

    def __call__(self, *arguments: str, given: str | None = None) -> tuple[int, str, str]:
        process = self.start(*arguments, stdin=subprocess.DEVNULL if given is None else subprocess.PIPE)
        try:
            out, err = process.communicate(given, timeout=80)
        except subprocess.TimeoutExpired:
            process.terminate()
            raise AssertionError(process.communicate()) from None
        return process.returncode, out, err

    def rows(self, corpus: str, what: str) -> list[dict[str, str]]:
        code, out, err = self("export", corpus, "--what", what, "--format", "csv")
        assert (code, err) == (0, "")
        return list(csv.DictReader(io.StringIO(out)))


@pytest.fixture
def hyphe(tmp_path: Path) -> Hyphe:
    return Hyphe(tmp_path / "data")


def test_urls_from_a_file_become_a_crawled_corpus(hyphe: Hyphe, web: SmallWeb) -> None:
    lines = f"{web.url()}\n# the same machine by its other name\n{web.url('/', 'localhost')}\nno url\n"
    options = ("--allow-private-networks", "--delay", "0", "--workers", "1")
    code, out, err = hyphe("crawl", "--corpus", "c", "--from-file", "-", *options, given=lines)
    assert code == 0, err
    assert "standard input line 4: 'no url' skipped" in err
    assert WHOLE.findall(out) == ["finished"] * 2
    pages = hyphe.rows("c", "pages")
    assert len(pages) == 2 * (N_LEAVES + 1)
    assert {page["status"] for page in pages} == {"200"}
    assert {page["depth"] for page in pages} == {"0", "1"}
    assert hyphe.rows("c", "network") == [{"Source": "1", "Target": "2", "Weight": "1"}]
    asked = {path: n for path, n in web.hits.items() if not path.endswith("/robots.txt")}
    assert len(asked) == len(pages)
    assert set(asked.values()) == {1}
    assert hyphe("maintain", "check", "c")[0] == 0


def test_json_is_all_there_is_on_standard_output(hyphe: Hyphe, web: SmallWeb) -> None:
    options = ("--allow-private-networks", "--delay", "0", "--max-pages", "5", "--json")
    code, out, _ = hyphe("crawl", web.url(), "--corpus", "c", *options)
    document = json.loads(out)
    assert code == 0
    (job,) = document["jobs"]
    assert (job["state"], job["end"], job["n_answers"]) == ("finished", "max_pages", 5)
    assert document["n_pages"] == 5
    assert sum(1 for page in hyphe.rows("c", "pages") if page["status"]) == 5


@pytest.mark.parametrize(
    ("options", "error"), [(("--allow-private-networks",), "connection"), ((), "private_address")]
)
def test_a_page_that_was_never_asked_for_is_a_page_of_the_result(
    hyphe: Hyphe, options: tuple[str, ...], error: str
) -> None:
    code, out, err = hyphe("crawl", "http://127.0.0.1:1/a", "--corpus", "c", *options, "--json")
    assert code == 0, err
    document = json.loads(out)
    assert document["n_pages"] == 1
    assert document["jobs"][0]["state"] == "finished"
    assert [page["error"] for page in hyphe.rows("c", "pages")] == [error]


@pytest.mark.parametrize("how", [signal.SIGINT, signal.SIGTERM])
def test_an_interrupted_crawl_goes_on_where_it_stopped(
    hyphe: Hyphe, web: SmallWeb, how: signal.Signals
) -> None:
    options = ("--allow-private-networks", "--workers", "1", "--delay", "0.4")
    process = hyphe.start("crawl", web.url(), "--corpus", "c", *options)
    deadline = time.monotonic() + 60
    while web.hits.total() < 4 and time.monotonic() < deadline:
        time.sleep(0.02)
    process.send_signal(how)
    out, err = process.communicate(timeout=60)
    assert process.returncode == 130, err
    assert "paused" in out
    assert "to go on from here: hyphe crawl --corpus c --resume" in err
    n_before = sum(1 for page in hyphe.rows("c", "pages") if page["status"])
    assert n_before < N_LEAVES + 1

    code, out, err = hyphe("crawl", "--corpus", "c", "--resume", "--workers", "1")
    assert code == 0, err
    assert WHOLE.findall(out) == ["finished"]
    assert {page["status"] for page in hyphe.rows("c", "pages") if page["web_entity_id"] == "1"} == {"200"}
    assert hyphe("maintain", "check", "c")[0] == 0
