"""Methods that list, search and count web entities."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from hyphe_core.api.call import Call
from hyphe_core.api.entities import COUNT, LIGHT, PAGE, SEMILIGHT, SORT, STATUS
from hyphe_core.api.entity_catalogue.catalogue import Catalogue
from hyphe_core.api.entity_catalogue.columns import Mask
from hyphe_core.api.entity_catalogue.filters import Filters, fulfilling, mistagged
from hyphe_core.api.entity_pages import (
    answer_listing,
    answer_next_page,
    entities_of_ids,
    find_ids,
    level_of,
    show_entities,
)
from hyphe_core.api.entity_search import read_sort, with_fields, with_words
from hyphe_core.api.facets import completions, facets_of, gaps_of
from hyphe_core.api.failures import Refusal
from hyphe_core.api.json_values import JsonObject
from hyphe_core.api.methods import CORPUS, Declare, MethodGroup
from hyphe_core.api.parameters import Anything, Flag, Integer, ListOf, Mapping, Parameter, Text
from hyphe_core.api.schemas import (
    ANYTHING,
    COUNTS,
    INTEGER,
    LISTING,
    OBJECT,
    TEXT,
    WEB_ENTITIES_PAGE,
    either,
    keyed,
    list_of,
    record,
)
from hyphe_core.api.search_record import RECORD_DOC, read_record
from hyphe_core.api.wire import Level
from memory_structure.records import WebEntityStatus

methods = MethodGroup("store")

_FULL = Parameter("semilight", Flag(), False, SEMILIGHT.doc)
_PAGED = "a page of entities; a plain list when count is -1"
_WORDS = Parameter("allFieldsKeywords", ListOf(Text(), or_one=True), (), "words, all of which must be found")
_FIELDS = Parameter("fieldKeywords", Anything(), [], "[field, value] pairs, all of which must hold")
_FILTERS = Parameter("filters", Mapping(), {}, RECORD_DOC)
_LIGHTER = (LIGHT, SEMILIGHT)
_FULLER = (LIGHT, _FULL)


_NOBODY = 0


@dataclass(frozen=True, slots=True)
class _IdOrNobody(Integer):
    """An id of a web entity; null, which stands in jobs whose entity is gone, is the id of none."""

    minimum: int = 1

    def read(self, value: object) -> int:
        """The id."""
        return _NOBODY if value is None else Integer.read(self, value)


def _listing(*own: Parameter, lighter: tuple[Parameter, ...] = ()) -> Declare:
    """Declares a method that answers a page of entities: its own parameters, then those of all listings."""
    return methods.method(*own, SORT, COUNT, PAGE, *lighter, CORPUS, result=LISTING, returns=_PAGED)


# -- as Hyphe has them -------------------------------------------------------------------------------------


@methods.method(
    Parameter("list_ids", ListOf(_IdOrNobody(), or_one=True), (), "ids; empty for all"),
    SORT,
    COUNT,
    PAGE,
    LIGHT,
    _FULL,
    Parameter("light_for_csv", Flag(), False, "texts joined by bars, for tables"),
    CORPUS,
    result=LISTING,
    returns="a page of entities; a plain list when ids are given or count is -1",
)
def get_webentities(
    call: Call, ids: list[int], sort: object, count: int, page: int, light: bool, semilight: bool, csv: bool
) -> object:
    """List web entities, all or by id."""
    level = level_of(light, semilight, csv)
    if ids:
        wanted = find_ids(call, Filters(ids=tuple(ids)), read_sort(sort)) if sort else ids
        return show_entities(call, entities_of_ids(call.structure, wanted), level)
    return answer_listing(call, find_ids(call, Filters(), read_sort(sort)), count, page, level)


@_listing(Parameter("status", STATUS, doc="a status"), lighter=_LIGHTER)
def get_webentities_by_status(
    call: Call, status: WebEntityStatus, sort: object, count: int, page: int, light: bool, semilight: bool
) -> object:
    """List the web entities of a status."""
    found = find_ids(call, Filters(statuses=frozenset({status})), read_sort(sort))
    return answer_listing(call, found, count, page, level_of(light, semilight))


@_listing(_WORDS, _FIELDS, lighter=_LIGHTER)
def search_webentities(
    call: Call,
    words: list[str],
    fields: object,
    sort: object,
    count: int,
    page: int,
    light: bool,
    semilight: bool,
) -> object:
    """List the web entities that hold words, also as parts of longer ones, in name, prefixes, start pages or
    homepage, and whose fields match."""
    filters = with_fields(with_words(Filters(), words), fields or [])
    return answer_listing(
        call, find_ids(call, filters, read_sort(sort)), count, page, level_of(light, semilight)
    )


@_listing(_WORDS, _FIELDS, lighter=_LIGHTER)
def wordsearch_webentities(
    call: Call,
    words: list[str],
    fields: object,
    sort: object,
    count: int,
    page: int,
    light: bool,
    semilight: bool,
) -> object:
    """List the web entities that hold whole words in name, prefixes, start pages, homepage, tags or note, and
    whose fields match."""
    filters = with_fields(Filters(words=tuple(words)), fields or [])
    return answer_listing(
        call, find_ids(call, filters, read_sort(sort)), count, page, level_of(light, semilight)
    )


@_listing(Parameter("name", Text(), doc="a name"))
def get_webentities_by_name(call: Call, name: str, sort: object, count: int, page: int) -> object:
    """List the web entities of exactly that name."""
    return answer_listing(call, find_ids(call, Filters(name=name), read_sort(sort)), count, page, Level.FULL)


@_listing(
    Parameter("value", Text(), doc="a value of a tag"),
    Parameter("namespace", Text(), None, "namespace of the tag; none for any"),
    Parameter("category", Text(), None, "category of the tag; none for any"),
)
def get_webentities_by_tag_value(
    call: Call,
    value: str,
    namespace: str | None,
    category: str | None,
    sort: object,
    count: int,
    page: int,
) -> object:
    """List the web entities that have a tag of exactly that value."""

    def tagged(catalogue: Catalogue) -> Mask:
        tags = catalogue.columns.tags
        found = tags.matching(namespace or None, category or None, value, exact=True)
        return tags.with_any(found, catalogue.columns.size)

    found = find_ids(call, Filters(), read_sort(sort), tagged)
    return answer_listing(call, found, count, page, Level.FULL)


@_listing(
    Parameter("namespace", Text(), doc="a namespace of tags"),
    Parameter("category", Text(), doc="a category of tags"),
)
def get_webentities_by_tag_category(
    call: Call, namespace: str, category: str, sort: object, count: int, page: int
) -> object:
    """List the web entities that have a tag of a category."""
    filters = Filters(with_categories=((namespace, category),))
    return answer_listing(call, find_ids(call, filters, read_sort(sort)), count, page, Level.FULL)


@_listing(
    Parameter("status", STATUS, WebEntityStatus.IN, "a status"),
    Parameter("missing_a_category", Flag(), False, "also those without a value of a category in use"),
    Parameter("multiple_values", Flag(), False, "also those with several values of a category"),
    lighter=_FULLER,
)
def get_webentities_mistagged(
    call: Call,
    status: WebEntityStatus,
    missing: bool,
    multiple: bool,
    sort: object,
    count: int,
    page: int,
    light: bool,
    semilight: bool,
) -> object:
    """List the web entities of a status without any tag of the user's, and those with too few or too many."""

    def wrong(catalogue: Catalogue) -> Mask:
        return mistagged(catalogue, missing=missing, multiple=multiple)

    found = find_ids(call, Filters(statuses=frozenset({status})), read_sort(sort), wrong)
    return answer_listing(call, found, count, page, level_of(light, semilight))


@_listing(lighter=_FULLER)
def get_webentities_uncrawled(
    call: Call, sort: object, count: int, page: int, light: bool, semilight: bool
) -> object:
    """List the web entities that are IN and were never crawled, or whose latest crawl was called off."""
    filters = Filters(statuses=frozenset({WebEntityStatus.IN}), crawled=False)
    return answer_listing(
        call, find_ids(call, filters, read_sort(sort)), count, page, level_of(light, semilight)
    )


@methods.method(
    Parameter("pagination_token", Text(), doc="token of a first page"),
    Parameter("n_page", Integer(0), doc="page, counted from 0"),
    Parameter("idNamesOnly", Flag(), False, "answer [id, name] pairs alone"),
    CORPUS,
    result=either(WEB_ENTITIES_PAGE, list_of(list_of(ANYTHING))),
    returns="a page of entities, or [[id, name]]",
)
def get_webentities_page(call: Call, token: str, page: int, names_only: bool) -> object:
    """Give a further page of a listing: the ids are those of when it was first asked for."""
    return answer_next_page(call, token, page, names_only)


@methods.method(
    Parameter("pagination_token", Text(), doc="token of a first page"),
    CORPUS,
    result=COUNTS,
    returns="an object: indegree -> number of entities",
)
def get_webentities_ranking_stats(call: Call, token: str) -> JsonObject:
    """Count the entities of a listing by indegree."""
    listing = call.service.listings.find(call.corpus.corpus_id, token)
    if listing is None:
        raise Refusal("this pagination token is unknown or too old: ask for the first page again")
    ids = np.frombuffer(listing.ids, np.int32)
    with call.view.catalogue.now() as catalogue:
        column = catalogue.figures.degrees.indegree
        degrees, counts = np.unique(column[ids[ids < len(column)]], return_counts=True)
    return {str(degree): n for degree, n in zip(degrees.tolist(), counts.tolist(), strict=True)}


# -- everything in one record ------------------------------------------------------------------------------

_FACETS = record({"total": INTEGER, "status": COUNTS, "crawled": COUNTS, "tags": keyed(keyed(OBJECT))})


@methods.method(
    _FILTERS,
    SORT,
    COUNT,
    PAGE,
    LIGHT,
    SEMILIGHT,
    Parameter("facets", Flag(), False, "also counts of all that was found, by status and tags"),
    CORPUS,
    result=LISTING,
    returns="a page of entities, with facets when asked for; a plain list when count is -1",
)
def search(
    call: Call,
    filters: JsonObject,
    sort: object,
    count: int,
    page: int,
    light: bool,
    semilight: bool,
    facets: bool,
) -> object:
    """List the web entities that fulfil every filter of a record.

    The prospect list, what a team looks at next, is {"status": "DISCOVERED"} sorted by "-citing_in": the
    number of entities that are IN and link there.
    """
    wanted = read_record(filters)
    found = find_ids(call, wanted, read_sort(sort))
    answer = answer_listing(call, found, count, page, level_of(light, semilight))
    if facets and isinstance(answer, dict):
        with call.view.catalogue.now() as catalogue:
            answer["facets"] = facets_of(catalogue, fulfilling(catalogue, wanted))
    return answer


@methods.method(
    _FILTERS,
    CORPUS,
    result=_FACETS,
    returns="an object: total, status, crawled, and tags by namespace and category",
)
def facets(call: Call, filters: JsonObject) -> JsonObject:
    """Count the web entities that fulfil the filters of `store.search` by status, crawl and tags.

    `without_value` counts the entities of which nobody has said anything in a category.
    """
    with call.view.catalogue.now() as catalogue:
        return facets_of(catalogue, fulfilling(catalogue, read_record(filters)))


@methods.method(
    Parameter("status", STATUS, WebEntityStatus.IN, "a status"),
    CORPUS,
    result=list_of(record({"namespace": TEXT, "category": TEXT})),
    returns="a list: category, entities without a value, with one, with several",
)
def gaps(call: Call, status: WebEntityStatus) -> list[JsonObject]:
    """Tell for each of the user's categories how many entities of a status lack a value, or have several.

    Their lists: `store.search` with {"status": ..., "missing": [category]} or {"conflicting": [category]}.
    """
    with call.view.catalogue.now() as catalogue:
        return gaps_of(catalogue, fulfilling(catalogue, Filters(statuses=frozenset({status}))))


@methods.method(
    Parameter("prefix", Text(max_chars=200), "", "how the value begins"),
    Parameter("namespace", Text(), "USER", "namespace of the tags; an empty one for any"),
    Parameter("category", Text(), None, "category of the tags; none for any"),
    Parameter("count", Integer(1, 1000), 10, "values at most"),
    CORPUS,
    result=list_of(record({"namespace": TEXT, "category": TEXT, "value": TEXT, "count": INTEGER})),
    returns="a list of tags with the number of entities that have them, the most used first",
)
def autocomplete_tags(
    call: Call, prefix: str, namespace: str, category: str | None, count: int
) -> list[JsonObject]:
    """Give the values of tags that begin with a text, without regard to case and accents."""
    with call.view.catalogue.now() as catalogue:
        return completions(catalogue, prefix, namespace or None, category or None, count)
