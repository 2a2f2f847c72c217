from __future__ import annotations

from types import SimpleNamespace
from typing import Any, cast

import pytest
from scrapy.exceptions import (
    CannotResolveHostError,
    DownloadConnectionRefusedError,
    DownloadFailedError,
    DownloadTimeoutError,
    ResponseDataLossError,
)
from twisted.internet.error import ConnectionDone, ConnectionLost
from twisted.python.failure import Failure
from twisted.web._newclient import ParseError
from twisted.web.client import ResponseFailed

from hyphe_core.crawl import resolver
from hyphe_core.crawl.addresses import is_public
from hyphe_core.crawl.failures import classify_failure
from hyphe_core.crawl.hosts import host_key, public_proxy
from hyphe_core.crawl.proxies import proxy_authorization
from hyphe_core.crawl.resolver import is_private_literal
from hyphe_core.crawl.tickets import Ticket
from hyphe_core.errors import AddressRefused, BodyTooLarge
from memory_structure.records import FetchError
from memory_structure.registry import HostKey
from tests.unit.hyphe_core.crawl.simulation import spec_of


def wrapped(reason: Exception) -> Exception:
    try:
        raise DownloadFailedError("no") from ResponseFailed([Failure(reason)])
    except DownloadFailedError as error:
        return error


class OpenSslError(Exception):
    __module__ = "OpenSSL.SSL"


@pytest.mark.parametrize(
    ("error", "kind"),
    [
        (DownloadTimeoutError("late"), FetchError.TIMEOUT),
        (CannotResolveHostError("who"), FetchError.DNS),
        (DownloadConnectionRefusedError("no"), FetchError.CONNECTION),
        (ResponseDataLossError(), FetchError.TRUNCATED),
        (AddressRefused("private"), FetchError.PRIVATE_ADDRESS),
        (BodyTooLarge("big"), FetchError.TOO_LARGE),
        (wrapped(ConnectionLost()), FetchError.CONNECTION),
        (wrapped(ConnectionDone()), FetchError.CONNECTION),
        (wrapped(ParseError("status line", b"x")), FetchError.BAD_ANSWER),
        (wrapped(OpenSslError("certificate")), FetchError.TLS),
        (UnicodeError("label too long"), FetchError.BAD_ANSWER),
        (KeyError("bug"), FetchError.INTERNAL),
    ],
)
def test_separate_kinds_of_failure(error: Exception, kind: FetchError) -> None:
    assert classify_failure(error, through_proxy=False)[0] is kind


def test_through_a_proxy_the_host_that_is_unknown_is_the_proxy() -> None:
    assert classify_failure(CannotResolveHostError("p"), through_proxy=True)[0] is FetchError.PROXY


@pytest.mark.parametrize(
    ("address", "public"),
    [
        ("8.8.8.8", True),
        ("2001:4860:4860::8888", True),
        ("127.0.0.1", False),
        ("10.1.2.3", False),
        ("169.254.169.254", False),
        ("192.168.0.1", False),
        ("100.64.0.1", False),
        ("0.0.0.0", False),
        ("224.0.0.1", False),
        ("::1", False),
        ("fe80::1%eth0", False),
        ("fd00::1", False),
        ("::ffff:127.0.0.1", False),
        ("64:ff9b::7f00:1", False),
        ("2002:7f00:1::", False),
        ("no address", False),
    ],
)
def test_private_addresses_in_every_disguise(address: str, public: bool) -> None:
    assert is_public(address) is public


@pytest.mark.parametrize(
    ("host", "private"),
    [
        ("localhost", True),
        ("a.localhost.", True),
        ("127.0.0.1", True),
        ("[::1]", True),
        ("::1", True),
        ("8.8.8.8", False),
        ("e.fr", False),
        ("127.e.fr", False),
        ("", False),
    ],
)
def test_literals_are_judged_by_their_text(host: str, private: bool) -> None:
    assert is_private_literal(host) is private


def test_hosts_are_counted_by_proxy_and_port() -> None:
    assert host_key("http://e.fr/x", None) == HostKey("", "e.fr:80")
    assert host_key("https://e.fr/x", None) == HostKey("", "e.fr:443")
    assert host_key("http://e.fr:8080/", "http://me:secret@p:3128") == HostKey("http://p:3128", "e.fr:8080")
    assert public_proxy("p:3128") == "http://p:3128"


def test_credentials_of_a_proxy_become_a_header() -> None:
    assert proxy_authorization("http://p:1") is None
    assert proxy_authorization(None) is None
    assert proxy_authorization("http://me:p%40ss@p:1") == b"Basic bWU6cEBzcw=="


@pytest.mark.parametrize(
    ("settings", "may_use"),
    [
        ({}, False),
        ({"allow_private_networks": True}, True),
        ({"proxy": "http://p:1"}, True),
        ({"proxy": "http://p:1", "guards_proxy": True}, False),
        ({"proxy": "http://p:1", "guards_proxy": True, "allow_private_networks": True}, True),
    ],
)
def test_private_addresses_are_for_jobs_that_may_and_for_the_proxy_of_the_operator(
    settings: dict[str, Any], may_use: bool
) -> None:
    url = "http://a.example/"
    job: Any = SimpleNamespace(spec=spec_of(url, **settings), proxy=settings.get("proxy"))
    ticket = Ticket(job, cast(Any, None), url, "")
    assert resolver._may_use(ticket, SimpleNamespace(host="10.0.0.1")) is may_use
    assert resolver._may_use(ticket, SimpleNamespace(host="93.184.216.34"))
    assert ticket.refused_address == ("" if may_use else "10.0.0.1")
