"""Signatures, representative URLs, addresses in text, outcomes of fetches."""

from __future__ import annotations

import hashlib

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hyphe_core.parsers.protocol_statuses import (
    ProtocolStatus,
    is_truncated,
    parses_body,
    protocol_status,
    redirect_location,
)
from hyphe_core.parsers.representative import choose_representative
from hyphe_core.parsers.signatures import SignatureKind, md5_of_content, signature_of, text_profile
from hyphe_core.parsers.text_links import list_text_links


def md5(text: str) -> str:
    return hashlib.md5(text.encode()).hexdigest()


# -- signatures ---------------------------------------------------------------
def test_profiles_round_counts_down_to_the_quantum() -> None:
    text = "alpha " * 300 + "beta " * 7 + "gamma " * 2 + "Delta-delta, delta. "
    assert text_profile(text) == [("alpha", 300), ("beta", 6), ("delta", 3)]
    assert text_profile("alpha beta_gamma no") == [("alpha", 1), ("beta", 1), ("gamma", 1)]
    assert text_profile("aaa²bbb aaa") == [("aaa", 2)]
    assert text_profile("a bb") == text_profile("") == []


def test_letters_and_digits_are_those_of_16_bits_each_lowered_by_itself() -> None:
    assert text_profile("ΟΔΟΣ İst ⅧⅧⅧ 〇〇〇 ℝℝℝ ٠٠٠") == [
        ("ist", 1),
        ("οδοσ", 1),
        ("٠٠٠", 1),
        ("ℝℝℝ", 1),
    ]
    assert text_profile("abc𝐀def 𝐀𝐀𝐀 ½ab e\u0301ab") == [("abc", 1), ("def", 1)]


def test_kinds_of_signatures() -> None:
    body, text, url = b"<p>Some words</p>", "Some words", "http://e.org/"
    assert signature_of(SignatureKind.CONTENT, body, text, url) == hashlib.md5(body).hexdigest()
    assert signature_of(SignatureKind.TEXT, body, text, url) == md5(text)
    assert signature_of(SignatureKind.TEXT_PROFILE, body, text, url) == md5("some 1\nwords 1")
    assert signature_of(SignatureKind.TEXT_PROFILE, body, "", url) == hashlib.md5(body).hexdigest()
    assert md5_of_content(b"", url) == md5(url)


@given(
    st.lists(st.sampled_from(["alpha", "beta", "gamma", "x"]), max_size=30).flatmap(
        lambda words: st.tuples(st.just(words), st.permutations(words))
    )
)
def test_the_order_of_words_does_not_matter(lists: tuple[list[str], list[str]]) -> None:
    first, second = (" ".join(words) for words in lists)
    assert text_profile(first) == text_profile(second)


# -- representative URLs ------------------------------------------------------
@pytest.mark.parametrize(
    ("source", "target", "temporary", "chosen"),
    [
        ("http://a.co.uk/", "http://b.co.uk/", True, 1),
        ("http://x.github.io/", "http://y.github.io/", False, 0),  # one domain by the registries' section
        ("http://a.com/", "http://a.com/x", True, 0),
        ("http://a.com/x", "http://a.com/y", True, 0),
        ("http://a.com/xx", "http://a.com/y", True, 1),
        ("http://a.com/a/", "http://a.com/b", True, 1),
        ("http://b.www.a.com/", "http://www.a.com/", True, 1),
        ("http://www.a.com/x", "http://A.com/y", True, 1),
        ("http://a.com/x", "tel:1", True, 1),
        ("http://a.com", "http://a.com/", False, 0),
        ("http://www.a.com./x", "http://b.a.com/y", True, 0),
        ("http://www.a.com/x", "http://a.com./y", True, 1),
        ("http://a.intern/x", "http://b.intern/y", True, 1),  # no known suffix: other domains
        ("http://b.c.a.com/x", "http://a.com./y", True, 1),
    ],
)
def test_representatives(source: str, target: str, temporary: bool, chosen: int) -> None:
    assert choose_representative(source, target, temporary=temporary) == (source, target)[chosen]


@given(
    st.sampled_from(["http://a.com", "http://a.com/x/", "http://w.a.com/?q", "x", "ftp://b.org/"]),
    st.sampled_from(["http://a.com/y", "http://b.org", "", "http://w.a.com"]),
    st.booleans(),
)
def test_a_representative_is_one_of_the_two(source: str, target: str, temporary: bool) -> None:
    assert choose_representative(source, target, temporary=temporary) in (source, target)


# -- addresses in text --------------------------------------------------------
@pytest.mark.parametrize(
    ("text", "links"),
    [
        ("(see http://e.org/a_b?c=d&e#f)", ["http://e.org/a_b?c=d&e#f"]),
        (
            "HTTPS://E.org and ftp://e.org/x, twice HTTPS://E.org",
            ["HTTPS://E.org", "ftp://e.org/x,", "HTTPS://E.org"],
        ),
        ("<http://e.org/%C3%A9>", ["http://e.org/%C3%A9"]),
        ("[http://e.org/a] [http://[::1]:80/b]", ["http://e.org/a", "http://[::1]:80/b"]),
        ("xhttp://e.org javascript:x http:x http://", []),
        ("http://e.org/é", ["http://e.org/"]),
        ("http://a or http://" + "x" * 400, ["http://a", "http://" + "x" * 332]),
    ],
)
def test_text_links(text: str, links: list[str]) -> None:
    assert list_text_links(text) == links


def test_a_full_stop_is_kept_or_trimmed() -> None:
    assert list_text_links("At http://e.org/a.") == ["http://e.org/a."]
    assert list_text_links("At http://e.org/a?!", trims=True) == ["http://e.org/a"]


def test_text_of_nothing_but_beginnings() -> None:
    assert list_text_links("http:// " * 100_000) == []
    assert len(list_text_links("http://e.org/" + "x" * 1_000_000)[0]) < 400


# -- outcomes of fetches ------------------------------------------------------
@pytest.mark.parametrize(
    ("code", "status"),
    [
        (300, ProtocolStatus.MOVED),
        (305, ProtocolStatus.MOVED),
        (307, ProtocolStatus.TEMP_MOVED),
        (399, ProtocolStatus.MOVED),
        (400, ProtocolStatus.GONE),
        (410, ProtocolStatus.GONE),
        (100, ProtocolStatus.EXCEPTION),
        (503, ProtocolStatus.EXCEPTION),
    ],
)
def test_protocol_statuses(code: int, status: ProtocolStatus) -> None:
    assert protocol_status(code) is status


@pytest.mark.parametrize(
    ("n_bytes", "length", "flag", "truncated"),
    [
        (None, "38", "true", False),
        (0, "1", None, True),
        (19, " 38 ", None, True),
        (19, "+38", None, True),
        (19, "38", "false", False),
        (19, "", None, False),
        (19, "-38", None, False),
        (19, "38.5", None, False),
        (19, "٣٨", None, False),
        (19, None, None, False),
    ],
)
def test_truncation(n_bytes: int | None, length: str | None, flag: str | None, truncated: bool) -> None:
    assert is_truncated(n_bytes, length, flag) is truncated


def test_a_cut_body_is_parsed_on_request_only() -> None:
    assert not parses_body(truncated=True)
    assert parses_body(truncated=True, skips_truncated=False)
    assert parses_body(truncated=False)


def test_the_location_header() -> None:
    assert redirect_location([("X", "y"), ("location", " /a ")]) == "/a"
    assert redirect_location([]) == ""
