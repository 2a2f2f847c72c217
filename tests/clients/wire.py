"""Requests as the clients of Hyphe send them, byte for byte in form, and answers read as they read them."""

from __future__ import annotations

import http.client
import json
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from typing import Any

from tests.contract.hyphe_api import METHODS


def padded(method: str, params: Sequence[Any]) -> list[Any]:
    """Parameters up to the last one, the corpus, which is left out: null where the client chose nothing."""
    n_wanted = len(METHODS[method]["params"]) - 1
    return [*params, *[None] * (n_wanted - len(params))]


class Refused(AssertionError):
    """An answer with code fail."""

    def __init__(self, envelope: dict[str, Any]) -> None:
        super().__init__(envelope.get("message"))
        self.message = envelope.get("message")


@dataclass
class Sender:
    """A client on the wire. Cookies are kept when it is a browser on the service's own origin."""

    port: int
    headers: dict[str, str]
    path: str = "/"
    keeps_cookies: bool = False
    cookies: dict[str, str] = field(default_factory=dict)

    def post(self, value: Any) -> tuple[dict[str, str], Any]:
        """(headers, JSON) of the answer to a request, whose status must be 200."""
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=120)
        headers = dict(self.headers)
        if self.cookies:
            headers["Cookie"] = "; ".join(f"{name}={value}" for name, value in self.cookies.items())
        try:
            connection.request("POST", self.path, json.dumps(value).encode(), headers)
            answer = connection.getresponse()
            assert answer.status == 200
            for name, text in answer.getheaders():
                if name.lower() == "set-cookie" and self.keeps_cookies:
                    cookie, _, secret = text.partition(";")[0].partition("=")
                    self.cookies[cookie] = secret
            return {k.lower(): v for k, v in answer.getheaders()}, json.loads(answer.read())
        finally:
            connection.close()

    def envelope(self, method: str, params: Any) -> dict[str, Any]:
        """What a client without `id` and version gets: a list of one object."""
        _, answer = self.post({"method": method, "params": params})
        assert isinstance(answer, list), answer
        assert len(answer) == 1
        assert isinstance(answer[0], dict)
        return answer[0]

    def call(self, method: str, *params: Any, **named: Any) -> Any:
        """The result of a call, positional unless names are given."""
        found = self.envelope(method, named or list(params))
        if found.get("code") != "success":
            raise Refused(found)
        return found["result"]


class WebFrontend(Sender):
    """The web frontend: form-encoded by name, JSON by content, under /api/ of its own origin. It starts a
    corpus that an answer shows to be at rest, and asks again."""

    def __init__(self, port: int) -> None:
        headers = {
            "Content-Type": "application/x-www-form-urlencoded",
            "Accept": "application/json, text/plain, */*",
            "Origin": f"http://127.0.0.1:{port}",
        }
        super().__init__(port, headers, "/api/", keeps_cookies=True)
        self.n_healed = 0

    def call(self, method: str, *params: Any, **named: Any) -> Any:
        found = self.envelope(method, named or list(params))
        state = _corpus_state(found)
        if state is not None and state["corpus_id"] and state["status"] != "ready":
            self.n_healed += 1
            self.envelope("start_corpus", [state["corpus_id"], ""])
            found = self.envelope(method, named or list(params))
        if found.get("code") != "success":
            raise Refused(found)
        return found["result"]

    def calls(self, method: str, many: list[list[Any]], at_once: int) -> list[Any]:
        """Results of calls that a page sends together."""
        with ThreadPoolExecutor(at_once) as pool:
            return list(pool.map(lambda params: self.call(method, *params), many))


def _corpus_state(found: dict[str, Any]) -> Any:
    message, result = found.get("message"), found.get("result")
    if isinstance(message, dict) and "status" in message:
        return message
    if isinstance(result, dict) and isinstance(result.get("corpus"), dict):
        return result["corpus"]
    return None


class DesktopBrowser(Sender):
    """The desktop browser: plain text by name, from a file, whose origin is null; names its parameters."""

    def __init__(self, port: int) -> None:
        super().__init__(port, {"Content-Type": "text/plain;charset=UTF-8", "Origin": "null"})

    def post(self, value: Any) -> tuple[dict[str, str], Any]:
        headers, answer = super().post(value)
        assert headers["access-control-allow-origin"] == "*"
        return headers, answer


class CommandLine(Sender):
    """The command-line client: JSON, positional, the oldest framing."""

    def __init__(self, port: int) -> None:
        super().__init__(port, {"Content-Type": "application/json", "User-Agent": "Twisted/JSONRPClib"})


class Script(Sender):
    """The scripts: JSON-RPC 1.0 sent as text/xml; an answer has result, a null error and the id."""

    def __init__(self, port: int) -> None:
        super().__init__(port, {"Content-Type": "text/xml", "User-Agent": "jsonrpclib/0.1 (Python)"})
        self._n_sent = 0

    def call(self, method: str, *params: Any, **named: Any) -> Any:
        self._n_sent += 1
        _, answer = self.post({"method": method, "params": named or list(params), "id": f"id{self._n_sent}"})
        assert set(answer) == {"result", "error", "id"}
        assert answer["error"] is None
        assert answer["id"] == f"id{self._n_sent}"
        if answer["result"].get("code") != "success":
            raise Refused(answer["result"])
        return answer["result"]["result"]
