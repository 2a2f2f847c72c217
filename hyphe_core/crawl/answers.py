"""What a download hands to the spider, and which headers of an answer are read."""

from __future__ import annotations

from typing import Final

from scrapy.http import Response

from hyphe_core.crawl.page_work import Answer

WANTED_HEADERS: Final = (
    "content-type",
    "content-encoding",
    "location",
    "retry-after",
    "x-robots-tag",
    "content-language",
    "link",
)


class AnsweredResponse(Response):
    """Scrapy's response as an envelope: all we read of it is `answer`."""

    def __init__(self, url: str, answer: Answer) -> None:
        super().__init__(url, status=answer.status)
        self.answer = answer
