"""Guessing passwords: soon in vain, never at the cost of those who know them."""

from __future__ import annotations

import hmac
import json
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from itertools import count
from pathlib import Path

import pytest

from hyphe_core.api import attempts as attempts_module
from hyphe_core.api import opening, passwords
from hyphe_core.api.attempts import Attempts, network_of
from memory_structure.opening import open_registry
from tests.security.conftest import (
    ADMIN_PASSWORD,
    OTHER,
    PASSWORD,
    PROTECTED,
    Inside,
    make_corpora,
)
from tests.service.service_process import Client, ServiceProcess


class Time:
    """Seconds that pass when a test says so."""

    def __init__(self) -> None:
        self.now = 1_000.0

    def __call__(self) -> float:
        return self.now


@pytest.fixture
def time(monkeypatch: pytest.MonkeyPatch) -> Time:
    made = Time()
    monkeypatch.setattr(attempts_module, "monotonic", made)
    return made


# -- over a socket ------------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def besieged(tmp_path_factory: pytest.TempPathFactory) -> Iterator[ServiceProcess]:
    folder: Path = tmp_path_factory.mktemp("besieged")
    registry = open_registry(folder)
    make_corpora(registry)
    registry.close()
    started = ServiceProcess(folder, admin_password=ADMIN_PASSWORD)
    yield started
    started.stop()


def give(client: Client, corpus: str | None, password: str, address: str) -> tuple[str, str]:
    """(message or "", token or "") of an attempt that a proxy on this machine passed on."""
    body = json.dumps({"method": "start_corpus", "params": [corpus, password]})
    answer = client.send(body, X_Forwarded_For=address)
    return str(answer.json[0].get("message", "")), answer.headers.get("auth-token", "")


def test_a_thousand_wrong_passwords(besieged: ServiceProcess) -> None:
    client = besieged.client()
    inside = give(client, PROTECTED, PASSWORD, "198.51.100.1")[1]
    known = Client(client.port, {"Auth-Token": inside})
    with ThreadPoolExecutor(8) as pool:
        answers = list(pool.map(lambda i: give(client, PROTECTED, f"guess {i}", "203.0.113.9"), range(1_000)))
    assert all(message.startswith("Wrong auth") and not token for message, token in answers)
    n_looked_at = sum("too many" not in message for message, _ in answers)
    assert 10 <= n_looked_at <= 12
    # The right one is not looked at either, from there; from elsewhere it is.
    assert "try again in" in give(client, PROTECTED, PASSWORD, "203.0.113.9")[0]
    assert give(client, PROTECTED, PASSWORD, "198.51.100.2")[1]
    # And who is in works on, and may say so with an empty or a wrong password.
    assert known.call("get_corpus_options", PROTECTED)
    for password in ("", "forgotten"):
        assert known.call("start_corpus", PROTECTED, password)["ready"]


def test_the_administrators_password_is_guarded_alike(besieged: ServiceProcess) -> None:
    client = besieged.client()
    answers = [give(client, None, f"guess {i}", "203.0.113.10")[0] for i in range(100)]
    assert {message.partition(":")[0] for message in answers} == {"Wrong password"}
    assert sum("too many" not in message for message in answers) <= 12
    assert not give(client, None, ADMIN_PASSWORD, "203.0.113.10")[1]
    assert give(client, None, ADMIN_PASSWORD, "198.51.100.3")[1]


def test_a_batch_of_guesses_is_many_guesses(besieged: ServiceProcess) -> None:
    client = besieged.client()
    calls = [
        {"jsonrpc": "2.0", "id": i, "method": "start_corpus", "params": [OTHER, f"g{i}"]} for i in range(100)
    ]
    answers = client.send(json.dumps(calls), X_Forwarded_For="203.0.113.11").json
    messages = [answer["result"]["message"] for answer in answers]
    assert sum("too many" not in message for message in messages) <= 12


def test_asking_whether_there_is_a_password_is_no_guess(besieged: ServiceProcess) -> None:
    """Clients do so by themselves, again and again."""
    client = besieged.client()
    for _ in range(50):
        assert "too many" not in give(client, PROTECTED, "", "203.0.113.12")[0]
    assert give(client, PROTECTED, PASSWORD, "203.0.113.12")[1]


# -- without ------------------------------------------------------------------------------------------------


def test_the_wait_doubles_and_is_forgotten(time: Time) -> None:
    attempts = Attempts()
    assert [attempts.begin("10.0.0.1", "c") for _ in range(10)] == [0.0] * 10
    waits = []
    for _ in range(12):
        waits.append(attempts.begin("10.0.0.1", "c"))
        time.now += waits[-1]
        assert attempts.begin("10.0.0.1", "c") == 0.0
    assert waits == [1, 2, 4, 8, 16, 32, 64, 128, 256, 300, 300, 300]
    time.now += attempts_module.FORGOTTEN_AFTER_SECONDS + 301
    assert [attempts.begin("10.0.0.1", "c") for _ in range(10)] == [0.0] * 10


def test_a_right_password_forgives_its_address(time: Time) -> None:
    attempts = Attempts()
    for _ in range(5):
        for _ in range(8):
            assert attempts.begin("10.0.0.1", "c") == 0.0
        attempts.succeeded("10.0.0.1", "c")


def test_many_addresses_share_the_patience_of_a_corpus(time: Time) -> None:
    """But for those from where its password was given before; and no longer than half a minute."""
    attempts = Attempts()
    attempts.begin("192.0.2.1", "c")
    attempts.succeeded("192.0.2.1", "c")
    n = sum(attempts.begin(f"10.0.{i // 250}.{i % 250}", "c") == 0.0 for i in range(1_000))
    assert n == 100
    assert 0 < attempts.begin("172.16.0.1", "c") <= 30
    assert attempts.begin("172.16.0.1", "another") == 0.0
    assert attempts.begin("192.0.2.1", "c") == 0.0
    for i in range(60):
        time.now += 30
        assert attempts.begin(f"10.1.0.{i}", "c") == 0.0
        assert attempts.begin(f"10.2.0.{i}", "c") <= 30


def test_an_attempt_counts_before_its_password_is_looked_at(time: Time) -> None:
    """Else a thousand at once would all be looked at."""
    attempts = Attempts()
    begun = [attempts.begin("10.0.0.1", "c") for _ in range(50)]
    assert begun.count(0.0) == 10


def test_counts_are_bounded(time: Time, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(attempts_module, "_MAX_KEPT", 100)
    attempts = Attempts()
    for i in range(1_000):
        attempts.begin(f"10.0.{i // 250}.{i % 250}", f"corpus {i}")
        attempts.succeeded(f"10.1.{i // 250}.{i % 250}", f"corpus {i}")
    sizes = [len(kept) for kept in (attempts._by_address, attempts._by_target, attempts._welcome)]
    assert max(sizes) <= 100


@pytest.mark.parametrize(
    ("address", "network"),
    [
        ("192.0.2.1", "192.0.2.1"),
        ("::ffff:192.0.2.1", "192.0.2.1"),
        ("2001:db8:1:2:3:4:5:6", "2001:db8:1:2::/64"),
        ("2001:db8:1:2::9", "2001:db8:1:2::/64"),
        ("fe80::1%eth0", "fe80::/64"),
        ("", ""),
        ("x" * 1_000, "x" * 100),
    ],
)
def test_an_ipv6_network_is_one_address(address: str, network: str) -> None:
    assert network_of(address) == network


def test_corpora_that_do_not_exist_are_not_counted(inside: Inside) -> None:
    """Names would fill the counts."""
    for i in range(50):
        inside.answer("start_corpus", f"missing {i}", "guess")
    assert not inside.service.attempts._by_target


def test_while_one_waits_no_password_is_looked_at(
    inside: Inside, time: Time, monkeypatch: pytest.MonkeyPatch
) -> None:
    looked_at = count()
    real = passwords.matches_hash
    monkeypatch.setattr(
        opening, "matches_hash", lambda given, stored: next(looked_at) >= 0 and real(given, stored)
    )
    for _ in range(30):
        inside.answer("start_corpus", PROTECTED, "guess", address="192.0.2.7")
    assert next(looked_at) == 2 * 10  # of curators, of readers


def test_secrets_are_compared_in_constant_time(monkeypatch: pytest.MonkeyPatch) -> None:
    compared: list[tuple[bytes, bytes]] = []

    def compare(one: bytes, other: bytes) -> bool:
        compared.append((one, other))
        return one == other

    monkeypatch.setattr(hmac, "compare_digest", compare)
    stored = passwords.hash_password("right")
    assert passwords.matches_hash("right", stored)
    assert not passwords.matches_hash("wrong", stored)
    assert not passwords.matches_secret("wrong", "right")
    assert len(compared) == 3
    assert all(len(one) == len(other) for one, other in compared)
