"""How inputs of each target are made."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import suppress
from random import Random
from typing import Final

from hyphe_core.crawl.robots import MAX_ROBOTS_BYTES
from tests.fuzz import grammars
from tests.fuzz.corpus import seeds
from tests.fuzz.inputs import Input
from tests.fuzz.mutations import KIB, MIB, blow_up, mutate, string_together

MAX_URL: Final = 4096


def _some(rng: Random, fragments: Sequence[bytes], kind: str, max_bytes: int = MIB) -> bytes:
    chance = rng.random()
    known = seeds(kind)
    if chance < 0.35:
        return mutate(rng, rng.choice(known), known)
    if chance < 0.75:
        return string_together(rng, fragments)
    return blow_up(rng, fragments, max_bytes)


def make_html(rng: Random) -> Input:
    body = _some(rng, grammars.HTML, "html")
    content_type = rng.choice(grammars.CONTENT_TYPES) if rng.random() < 0.4 else "text/html; charset=utf-8"
    return Input(body, content_type or "")


def make_xml(rng: Random) -> Input:
    body = _some(rng, grammars.XML, "xml")
    if rng.random() < 0.3:
        body = b"<r>" + body + b"</r>"
    if rng.random() < 0.05:
        body = body.decode("utf-8", "replace").encode(
            rng.choice(("utf-16", "utf-16-le", "utf-32", "latin-1")), "replace"
        )
    return Input(
        body, (rng.choice(grammars.CONTENT_TYPES) or "") if rng.random() < 0.4 else "application/xml"
    )


def make_feed(rng: Random) -> Input:
    body = _some(rng, grammars.FEEDS, "feeds")
    if rng.random() < 0.4:
        body = b'<rss version="2.0"><channel><item>' + body + b"</item></channel></rss>"
    elif rng.random() < 0.4:
        body = b'<feed xmlns="http://www.w3.org/2005/Atom"><entry>' + body + b"</entry></feed>"
    return Input(body, "application/rss+xml")


def make_robots(rng: Random) -> Input:
    body = _some(rng, grammars.ROBOTS, "texts", MAX_ROBOTS_BYTES + KIB)
    path = string_together(rng, grammars.URLS).decode("utf-8", "replace")
    return Input(body, "http://e.org/" + (rng.choice("a/*") * 2000 if rng.random() < 0.1 else path)[:MAX_URL])


def make_refresh(rng: Random) -> Input:
    return Input(_some(rng, grammars.REFRESH, "texts"))


def make_encoding(rng: Random) -> Input:
    charset = rng.choice(grammars.CHARSETS)
    body = _some(rng, grammars.HTML, "html", 256 * KIB)
    declaration = rng.choice(
        (
            b"<meta charset=%s>",
            b'<?xml version="1.0" encoding="%s"?>',
            b'<meta content="text/html; charset=%s" http-equiv=content-type>',
        )
    )
    with suppress(LookupError, UnicodeError, ValueError):
        body = body.decode("utf-8", "replace").encode(charset, "replace")
    head = rng.choice((b"", b"", declaration % charset.encode(), string_together(rng, grammars.HTML)))
    note = rng.choice(
        (
            "",
            "text/html",
            f"text/html; charset={charset}",
            "text/html; charset=" + " " * rng.choice((1, 9999)),
        )
    )
    return Input(head + body, note)


def make_anything(rng: Random) -> Input:
    kind = rng.choice(("html", "xml", "feeds", "texts"))
    fragments = rng.choice((grammars.HTML, grammars.XML, grammars.FEEDS))
    return Input(_some(rng, fragments, kind), rng.choice(grammars.CONTENT_TYPES) or "")


def make_urls(rng: Random) -> Input:
    pieces = [make_url(rng) for _ in range(rng.choice((1, 5, 30)))]
    return Input("\x1e".join(pieces).encode("utf-8", "replace"))


def make_url(rng: Random) -> str:
    chance = rng.random()
    if chance < 0.1:
        scripts = "".join(chr(rng.randint(0x100, 0xFFFD)) for _ in range(rng.choice((10, 300, 4000))))
        return f"http://{scripts.encode('utf-8', 'replace').decode()}.org/"
    raw = (
        mutate(rng, rng.choice(seeds("texts")), seeds("texts"))
        if chance < 0.4
        else (blow_up(rng, grammars.URLS, 8 * KIB) if chance < 0.5 else string_together(rng, grammars.URLS))
    )
    text = raw.decode("utf-8", "replace")
    return text if rng.random() < 0.4 else "http://" + text


def make_pattern(rng: Random) -> Input:
    pattern = (
        string_together(rng, grammars.PATTERNS)
        if rng.random() < 0.8
        else blow_up(rng, grammars.PATTERNS, 2000)
    )
    text = rng.choice((b"a", b"ab", b"/a", b"http://", b"aaaaaaaaab", b"\xc3\xa9", b"1")) * rng.choice(
        (3, 100, 2000)
    )
    return Input(text[:MAX_URL] + rng.choice((b"", b"!", b"\n")), pattern.decode("utf-8", "replace"))
