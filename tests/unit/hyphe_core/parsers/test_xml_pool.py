"""XML read in children: as in this process, and no document takes more than it may."""

from __future__ import annotations

import os
import signal
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest

from hyphe_core.parsers.base import Document, ParseMinor
from hyphe_core.parsers.markup import MarkupOutcome
from hyphe_core.parsers.xml_parser import InProcess, XmlOptions
from hyphe_core.parsers.xml_pool import Limits, XmlPool

GOOD = Document(
    "http://e.org/é",
    '<rss version="2.0"><channel><title>é</title><item><title>t</title><link>http://e.org/1</link><pubDate>2020</pubDate>'
    '<description>a &lt;a href="x"&gt;b&lt;/a&gt;</description></item></channel></rss>'.encode(),
    "text/xml",
)
# Twenty loops within each other: more work than anybody has time for.
ENDLESS = (
    '<xsl:stylesheet version="1.0" xmlns:xsl="http://www.w3.org/1999/XSL/Transform"><xsl:template match="/">'
    + "".join('<xsl:for-each select="//b">' for _ in range(20))
    + "</xsl:for-each>" * 20
    + "</xsl:template></xsl:stylesheet>"
)
# Doubles a text until memory ends.
HUNGRY = (
    '<xsl:stylesheet version="1.0" xmlns:xsl="http://www.w3.org/1999/XSL/Transform"><xsl:template match="/">'
    '<xsl:variable name="x0" select="\'0123456789\'"/>'
    + "".join(f'<xsl:variable name="x{n}" select="concat($x{n - 1}, $x{n - 1})"/>' for n in range(1, 31))
    + '<n:parse xmlns:n="http://nutch.org/1.0/parse" status="success"><n:text>'
    '<xsl:value-of select="$x30"/></n:text></n:parse>'
    "</xsl:template></xsl:stylesheet>"
)
MANY = Document("http://e.org/many", b"<a>" + b"<b/>" * 100 + b"</a>", "text/xml")


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    for name, sheet in (("endless", ENDLESS), ("hungry", HUNGRY)):
        (tmp_path / f"{name}.xsl").write_text(sheet)
        (tmp_path / f"{name}.toml").write_text("")
    return tmp_path


@pytest.fixture
def pool() -> Iterator[XmlPool]:
    pool = XmlPool(1, Limits(wall_seconds=2.0))
    yield pool
    pool.close()


def failure_of(outcome: MarkupOutcome) -> tuple[ParseMinor, str]:
    (cleaned,) = outcome.parses
    return cleaned.parse.status.minor, cleaned.parse.status.message


@pytest.mark.parametrize(
    "document",
    [
        GOOD,
        MANY,
        Document("http://e.org/x", b"<broken", "text/xml"),
        Document("http://e.org/\ud800", b"", None),
        Document("http://e.org/f", b"<parse xml:lang='x'><a href='mailto:x'/></parse>", "image/svg+xml"),
    ],
    ids=["feed", "many", "broken", "empty", "mail"],
)
def test_a_child_says_what_this_process_says(pool: XmlPool, document: Document) -> None:
    for options in (XmlOptions(), XmlOptions(strict=True)):
        assert pool.run(document, options) == InProcess().run(document, options)


def test_many_at_once_come_back_in_order(pool: XmlPool) -> None:
    documents = [
        Document(f"http://e.org/{n}", b"<a><t>" + b"x" * (n * 1000 % 300_000) + b"</t></a>", "text/xml")
        for n in range(200)
    ]
    outcomes = pool.run_many(documents, XmlOptions())
    assert [outcome.parses[0].parse.link for outcome in outcomes] == [document.url for document in documents]
    assert [len(outcome.parses[0].parse.text) for outcome in outcomes] == [
        n * 1000 % 300_000 for n in range(200)
    ]


def test_a_child_is_used_again(pool: XmlPool) -> None:
    pool.run(GOOD, XmlOptions())
    before = pool.list_pids()
    pool.run(GOOD, XmlOptions())
    assert pool.list_pids() == before
    assert len(before) == 1


def test_a_document_that_never_ends_fails_alone(pool: XmlPool, folder: Path) -> None:
    pool.run(GOOD, XmlOptions())
    endless = XmlOptions(format="endless", folder=str(folder))
    assert failure_of(pool.run(MANY, endless)) == (ParseMinor.EXCEPTION, "limit: time")
    assert pool.run(GOOD, XmlOptions()) == InProcess().run(GOOD, XmlOptions())


def test_cpu_is_limited(folder: Path) -> None:
    pool = XmlPool(1, Limits(wall_seconds=60.0, cpu_seconds=1))
    outcome = pool.run(MANY, XmlOptions(format="endless", folder=str(folder)))
    pool.close()
    assert failure_of(outcome) == (ParseMinor.EXCEPTION, "limit: CPU time")


def test_memory_is_limited(folder: Path) -> None:
    pool = XmlPool(1, Limits(memory_bytes=400 * 2**20))
    outcome = pool.run(MANY, XmlOptions(format="hungry", folder=str(folder)))
    good = pool.run(GOOD, XmlOptions())
    pool.close()
    assert not outcome.parses[0].parse.status.is_success
    assert good.parses[0].parse.status.is_success


def test_a_document_whose_child_was_killed_is_read_by_another(pool: XmlPool) -> None:
    pool.run(GOOD, XmlOptions())
    (pid,) = pool.list_pids()
    os.kill(pid, signal.SIGKILL)
    assert pool.run_many([GOOD, GOOD], XmlOptions()) == [InProcess().run(GOOD, XmlOptions())] * 2
    assert pool.list_pids() != [pid]


def test_a_document_whose_children_end_each_time_fails() -> None:
    pool = XmlPool(1, Limits(memory_bytes=2**24))  # too little to begin
    outcomes = pool.run_many([GOOD, GOOD], XmlOptions())
    pool.close()
    assert len(outcomes) == 2
    assert all(failure_of(outcome)[1].startswith("crash") for outcome in outcomes)


def test_threads_share_a_pool() -> None:
    pool = XmlPool(2)
    found: list[MarkupOutcome] = []
    threads = [
        threading.Thread(target=lambda: found.extend(pool.run_many([GOOD] * 20, XmlOptions())))
        for _ in range(4)
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    n_children = len(pool.list_pids())
    pool.close()
    expected = InProcess().run(GOOD, XmlOptions())
    assert found == [expected] * 80
    assert n_children <= 2


def test_a_folder_that_cannot_be_used_is_told(pool: XmlPool, tmp_path: Path) -> None:
    (tmp_path / "x.toml").write_text("root = 1")
    minor, message = failure_of(pool.run(GOOD, XmlOptions(folder=str(tmp_path))))
    assert minor is ParseMinor.EXCEPTION
    assert "unknown key root" in message
    assert str(tmp_path) not in message


def test_closing_ends_the_children(pool: XmlPool) -> None:
    pool.run(GOOD, XmlOptions())
    (pid,) = pool.list_pids()
    pool.close()
    with pytest.raises(ProcessLookupError):
        os.kill(pid, 0)
    assert pool.list_pids() == []
