"""XML in gzip is read as if it were not packed, never past the limits; other packed files are left alone."""

from __future__ import annotations

import gzip

import pytest

from hyphe_core.parsers.base import Document, ParseMinor
from hyphe_core.parsers.profiles import NUTCH
from hyphe_core.parsers.registry import default_registry
from memory_structure.records import LinkKind

URL = "http://e.org/sitemap.xml.gz"
SITEMAP = (
    b'<?xml version="1.0"?><urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">'
    b"<url><loc>/1</loc></url></urlset>"
)
PADDING = b"<!--" + b"-".join(b"%d" % n for n in range(9999)) + b"-->"
REGISTRY = default_registry(isolated=False)


@pytest.mark.parametrize(
    "content_type", ["application/gzip", "application/x-gzip", None, "application/octet-stream"]
)
def test_a_packed_sitemap_is_read(content_type: str | None) -> None:
    result = REGISTRY.parse(Document(URL, gzip.compress(SITEMAP), content_type))
    assert [(link.url, link.kind) for link in result.links] == [("http://e.org/1", LinkKind.FEED)]
    assert (result.parser, result.content_type, result.base_url) == ("sitemap", "application/xml", URL)


def test_strictly_in_the_profile_of_nutch() -> None:
    broken = gzip.compress(SITEMAP.removesuffix(b"</urlset>"))
    assert REGISTRY.parse(Document(URL, broken)).status.is_success
    assert REGISTRY.parse(Document(URL, broken), NUTCH).status.minor is ParseMinor.INVALID_FORMAT


@pytest.mark.parametrize(
    ("body", "minor"),
    [
        (gzip.compress(b"<urlset>" + b" " * 2**24 + b"</urlset>"), ParseMinor.EXCEPTION),
        (gzip.compress(SITEMAP + PADDING)[:-9], ParseMinor.TRUNCATED),
        (gzip.compress(SITEMAP + PADDING)[:-8] + b"12345678", ParseMinor.INVALID_FORMAT),
    ],
)
def test_what_cannot_be_unpacked_fails(body: bytes, minor: ParseMinor) -> None:
    result = REGISTRY.parse(Document(URL, body))
    assert (result.status.is_success, result.status.minor, result.links) == (False, minor, ())


@pytest.mark.parametrize("body", [b"\0" * 600, b"text", b"<html><a href=x>y</a></html>", b""])
def test_other_packed_files_are_left_alone(body: bytes) -> None:
    result = REGISTRY.parse(Document(URL, gzip.compress(body)))
    assert (result.status.is_success, result.text, result.links) == (True, "", ())


def test_what_only_looks_packed_is_left_alone() -> None:
    assert REGISTRY.parse(Document(URL, b"\x1f\x8b\x08nothing")).status.is_success
