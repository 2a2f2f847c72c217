"""Pages that wait for a child process beside the event loop."""

from __future__ import annotations

import asyncio
import threading
from datetime import datetime

from hyphe_core.crawl.child_parsing import ChildParsing
from hyphe_core.crawl.page_work import Answer, Keeping, PageReader, Reading
from hyphe_core.parsers.base import Document, Parser, ParseResult
from hyphe_core.parsers.registry import ParserRegistry
from memory_structure.records import FetchError
from tests.unit.hyphe_core.crawl.simulation import EPOCH
from tests.unit.hyphe_core.crawl.test_page_work import ticket_of


class Slow(Parser):
    """Reads when it is let."""

    media_types = ("text/html",)

    def __init__(self) -> None:
        self.may_go_on = threading.Event()

    def parse(self, document: Document) -> ParseResult:
        self.may_go_on.wait(30)
        return ParseResult(base_url=document.url, title=document.body.decode())


def reading(parser: Parser, body: bytes) -> Reading:
    answer = Answer(200, {"content-type": ["text/html"]}, body)
    return PageReader(ParserRegistry((parser,)), "").open(ticket_of(), answer, Keeping())


def test_pages_come_back_in_order_while_the_loop_goes_on() -> None:
    async def scene() -> list[str]:
        parser, titles = Slow(), []
        done = asyncio.Event()

        def on_parsed(page: Reading, answered_at: datetime) -> None:
            assert answered_at == EPOCH
            assert page.result is not None
            titles.append(page.result.title)
            if len(titles) == 70:
                done.set()

        parsing = ChildParsing(on_parsed)
        for i in range(70):
            parsing.submit(reading(parser, str(i).encode()), EPOCH)
        assert parsing.is_full
        await asyncio.sleep(0)
        assert titles == []
        parser.may_go_on.set()
        await asyncio.wait_for(done.wait(), 30)
        assert (parsing.n_waiting, parsing.is_full) == (0, False)
        return titles

    assert asyncio.run(scene()) == [str(i) for i in range(70)]


def test_few_large_pages_are_enough() -> None:
    async def scene() -> bool:
        parser = Slow()
        parsing = ChildParsing(lambda page, at: None)
        for _ in range(7):
            parsing.submit(reading(parser, b"x" * 10_000_000), EPOCH)
        is_full = parsing.is_full
        parser.may_go_on.set()
        return is_full

    assert asyncio.run(scene())


def test_a_page_that_cannot_be_parsed_at_all_comes_back_with_its_error() -> None:
    async def scene() -> Reading:
        arrived: asyncio.Future[Reading] = asyncio.get_running_loop().create_future()
        parsing = ChildParsing(lambda page, at: arrived.set_result(page))
        broken = reading(Slow(), b"x")
        broken.document = None
        parsing.submit(broken, EPOCH)
        return await asyncio.wait_for(arrived, 30)

    page = asyncio.run(scene())
    assert page.error is FetchError.INTERNAL
