"""The method that finds pages by the words of their titles and texts."""

from __future__ import annotations

from typing import Final

from hyphe_core.api.call import Call
from hyphe_core.api.failures import Refusal
from hyphe_core.api.json_values import JsonObject
from hyphe_core.api.methods import CORPUS, MethodGroup
from hyphe_core.api.pages import page_token, read_page_token
from hyphe_core.api.parameters import Integer, Parameter, Text
from hyphe_core.api.schemas import FLAG, INTEGER, TEXT, list_of, or_null, record
from hyphe_core.api.wire import shown_page
from memory_structure.text_search import FoundPage, SearchPlace

methods = MethodGroup("pages")

_BUDGET_SECONDS: Final = 0.02  # what a search spends on pages that are not in the index yet
_FOUND: Final = record(
    {
        "pages": list_of(
            record(
                {"lru": TEXT, "url": TEXT, "title": TEXT, "snippet": TEXT, "webentity_id": INTEGER},
                {"status": or_null(INTEGER), "crawled": FLAG},
            )
        ),
        "token": or_null(TEXT),
        "not_indexed": INTEGER,
        "indexing": FLAG,
    }
)


@methods.method(
    Parameter("words", Text(max_chars=1000), doc="words, all of which a page must have"),
    Parameter("webentity_id", Integer(1), None, "only pages of this web entity"),
    Parameter("count", Integer(1, 1000), 20, "pages at a time"),
    Parameter("token", Text(max_chars=1000), None, "token of the answer before; none begins"),
    CORPUS,
    result=_FOUND,
    returns="an object: pages, token (null at the end), not_indexed, indexing",
)
def search(call: Call, words: str, web_entity_id: int | None, count: int, token: str | None) -> JsonObject:
    """Find the pages that have all words in title or text, without regard to case and accents; those with
    all of them in the title first.

    `not_indexed` says how many attempts to fetch pages are stored and not in the index yet, `indexing`
    whether they will be: see the option `index_text`.
    """
    structure = call.structure
    indexing = structure.indexes_texts()
    if indexing:
        structure.index_texts(_BUDGET_SECONDS)
        call.view.index_texts_later()
    found = structure.search_pages(words, web_entity_id=web_entity_id, after=_place(token), limit=count)
    place = found.next_place
    return {
        "pages": [_shown(page) for page in found.pages],
        "token": None if place is None else page_token(str(int(place.beyond_titles)), str(place.page_id)),
        "not_indexed": found.n_waiting,
        "indexing": indexing,
    }


def _place(token: str | None) -> SearchPlace | None:
    if token is None:
        return None
    parts = read_page_token(token)
    if len(parts) != 2 or not all(part.isdecimal() for part in parts):
        raise Refusal("this token is not one that this service gave")
    return SearchPlace(parts[0] != "0", int(parts[1]))


def _shown(found: FoundPage) -> JsonObject:
    fetch = found.page.fetch
    return {
        **shown_page(found.page),
        "title": "" if fetch is None else fetch.title,
        "status": None if fetch is None else fetch.status,
        "snippet": found.snippet,
        "webentity_id": found.page.web_entity_id,
    }
