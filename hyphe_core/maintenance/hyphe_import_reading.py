"""Reading what is to be imported: backups of Hyphe, and lists of web entities as CSV or JSON.

A backup of Hyphe is a folder with `options.json`, `webentities.json`, `crawls.json`, `tags.json` and
`links.json`. Lists are those its web pages and this program export; columns are known by name, in any order
and letter case.
"""

from __future__ import annotations

import csv
import io
import json
import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any, Final

from hyphe_core.errors import UsageFault
from hyphe_core.maintenance.hyphe_import_records import (
    ImportedEntity,
    ImportedRule,
    ImportLine,
    ImportOutcome,
    ImportPlan,
    Tag,
)
from hyphe_core.maintenance.hyphe_import_text import decoded, has_open_quote
from memory_structure.records import StartPage, WebEntityStatus

_OPTIONS, _ENTITIES, _CRAWLS, _TAGS, _LINKS = (
    "options.json", "webentities.json", "crawls.json", "tags.json", "links.json",
)  # fmt: skip
_RULES: Final = "creationrules.json"
_OF_A_BACKUP: Final = frozenset({_OPTIONS, _ENTITIES, _CRAWLS, _TAGS, _LINKS, _RULES})
_MOST_BYTES: Final = 1 << 30

# What people and programs call the columns, in the order they are looked for.
_NAMES: Final = {
    "id": ("_id", "id"),
    "name": ("name", "label"),
    "status": ("status",),
    "prefixes": ("prefixes_as_lru", "prefixes_lru", "prefixes", "lru_prefixes", "prefix"),
    "urls": ("url", "urls"),
    "homepage": ("homepage", "home_page"),
    "start_pages": ("startpages", "start_pages"),
    "note": ("note", "notes", "field_notes"),
    "tags": ("tags", "user_tags"),
}
# Columns of exports that are found anew: nobody misses them.
_FIGURES: Final = frozenset(
    "indegree outdegree undirected_degree weighted_indegree weighted_outdegree citing_in internal_links "
    "weight pages pages_fetched pages_total pages_crawled crawled crawling_status indexing_status "
    "technical_info creation_date creation_date_as_timestamp last_modification_date "
    "last_modification_date_as_timestamp".split()
)
_BETWEEN_PREFIXES: Final = re.compile(r"\s+|\|(?=s:)|(?<!\|)\|(?=https?:)")
_BETWEEN_URLS: Final = re.compile(r"[\s|]+")
_HYPHE_TAG_COLUMN: Final = re.compile(r"(.+) \((TAGS|TECHNICAL INFO)\)", re.DOTALL)
_TAG_COLUMN: Final = re.compile(r"([A-Z][A-Z0-9_-]*):(.+)", re.DOTALL)
_TAG: Final = re.compile(r"([^:=|]+):([^=]+)=(.+)", re.DOTALL)
_GUARDED: Final = re.compile(r"'(?=[=+\-@])")
_TECHNICAL: Final = "CORE"
_SOURCES: Final = "CORE-STARTPAGES"  # start pages by origin


def read_files(path: Path) -> ImportPlan:
    """What a folder (a backup of Hyphe) or a file (a list) holds. Raises UsageFault."""
    try:
        if path.is_dir():
            files = {each.name: each for each in path.iterdir() if each.name in _OF_A_BACKUP}
            if _ENTITIES not in files:
                raise UsageFault(f"{path} is no backup of Hyphe: it holds no {_ENTITIES}")
            return _read_octets({name: _octets(file) for name, file in files.items()})
        return _read_octets({path.name: _octets(path)})
    except OSError as error:
        raise UsageFault(f"{path} cannot be read: {error.strerror or error}") from error


def _octets(path: Path) -> bytes:
    if path.stat().st_size > _MOST_BYTES:
        raise UsageFault(f"{path} is larger than {_MOST_BYTES >> 20} MiB")
    return path.read_bytes()


def _read_octets(files: Mapping[str, bytes]) -> ImportPlan:
    found = {name: decoded(name, octets) for name, octets in files.items()}
    remarks = [
        ImportLine(name, ImportOutcome.REMARK, f"it is not UTF-8 and was read as {encoding}")
        for name, (_, encoding) in found.items()
        if encoding is not None
    ]
    plan = read_texts({name: text for name, (text, _) in found.items()})
    return replace(plan, lines=(*remarks, *plan.lines))


def read_texts(texts: Mapping[str, str]) -> ImportPlan:
    """What files hold, by their names. Raises UsageFault for text that is neither JSON nor a table."""
    entities: list[ImportedEntity] = []
    plan = ImportPlan()
    for name in sorted(texts):
        if name in _OF_A_BACKUP - {_ENTITIES}:
            plan = _READERS[name](plan, name, _json(name, texts[name]))
        else:
            listed, lines = _read_list(name, texts[name])
            entities += listed
            plan = replace(plan, lines=(*plan.lines, *lines))
    starts = _starts_of_crawls(texts)
    complete = [_with_starts(entity, starts) for entity in entities]
    return replace(plan, entities=tuple(complete))


def _json(name: str, text: str) -> Any:
    try:
        return json.loads(text)
    except (ValueError, RecursionError) as error:
        raise UsageFault(f"{name} is not JSON: {error}") from None


# -- the other files of a backup --------------------------------------------------------------------------


def _read_options(plan: ImportPlan, name: str, document: Any) -> ImportPlan:
    if not isinstance(document, dict):
        raise UsageFault(f"{name} is not an object")
    options = document.get("options")
    found = replace(
        plan,
        name=_words(document.get("name")),
        options=dict(options) if isinstance(options, dict) else {},
    )
    rules = document.get("creation_rules") or document.get("creationrules")
    return _read_rules(found, name, rules) if rules else found


def _read_rules(plan: ImportPlan, name: str, document: Any) -> ImportPlan:
    if not isinstance(document, list):
        raise UsageFault(f"{name}: creation rules are not a list")
    rules = [
        ImportedRule(f"{name}, rule {number}", _words(rule.get("prefix")), _words(rule.get("name")))
        for number, rule in enumerate(document, 1)
        if isinstance(rule, dict)
    ]
    return replace(plan, rules=(*plan.rules, *rules))


def _read_crawls(plan: ImportPlan, name: str, document: Any) -> ImportPlan:
    return _left_out(
        plan, name, document, "crawl jobs", "the pages they fetched are not in the backup: crawl again"
    )


def _read_links(plan: ImportPlan, name: str, document: Any) -> ImportPlan:
    return _left_out(
        plan, name, document, "links between web entities", "they come with the pages, once crawled"
    )


def _read_tags(plan: ImportPlan, _name: str, _document: Any) -> ImportPlan:
    """Numbers of tags, which are counted anew."""
    return plan


def _left_out(plan: ImportPlan, name: str, document: Any, what: str, why: str) -> ImportPlan:
    if not isinstance(document, list) or not document:
        return plan
    line = ImportLine(name, ImportOutcome.REFUSED, f"{len(document)} {what}: {why}")
    return replace(plan, lines=(*plan.lines, line))


_READERS: Final[dict[str, Callable[[ImportPlan, str, Any], ImportPlan]]] = {
    _OPTIONS: _read_options,
    _RULES: _read_rules,
    _CRAWLS: _read_crawls,
    _LINKS: _read_links,
    _TAGS: _read_tags,
}


def _starts_of_crawls(texts: Mapping[str, str]) -> dict[str, list[str]]:
    """Start pages of the crawls of each web entity, by its id."""
    starts: dict[str, list[str]] = {}
    if _CRAWLS not in texts:
        return starts
    for job in _records(_json(_CRAWLS, texts[_CRAWLS])):
        arguments = job.get("crawl_arguments")
        urls = arguments.get("start_urls") if isinstance(arguments, dict) else None
        starts.setdefault(_words(job.get("webentity_id")), []).extend(_several(urls, _BETWEEN_URLS))
    return starts


def _with_starts(entity: ImportedEntity, starts: Mapping[str, list[str]]) -> ImportedEntity:
    """Lists of start pages are often not in a backup: those of its crawls stand in."""
    if entity.start_pages or entity.key not in starts:
        return entity
    pages = dict.fromkeys(starts[entity.key])
    return replace(entity, start_pages=tuple(StartPage(url, "crawl") for url in pages))


# -- lists ------------------------------------------------------------------------------------------------


def _read_list(name: str, text: str) -> tuple[list[ImportedEntity], list[ImportLine]]:
    """The web entities of a file, whatever it is, and what of it could not be read."""
    lines: list[ImportLine] = []
    text = text.removeprefix("\ufeff")
    if text.lstrip()[:1] in ("[", "{"):
        document = _json(name, text)
        if isinstance(document, dict):
            document = document.get("webentities")
        if not isinstance(document, list):
            raise UsageFault(f"{name} holds no list of web entities")
        records: Iterator[tuple[str, dict[str, Any]]] = (
            (f"{name}, entity {number}", record) for number, record in enumerate(_records(document), 1)
        )
    else:
        records = _table_records(name, text, lines)
    return [_entity(where, record) for where, record in records], lines


def _records(document: Any) -> list[dict[str, Any]]:
    return [each for each in document if isinstance(each, dict)] if isinstance(document, list) else []


def _table_records(name: str, text: str, unread: list[ImportLine]) -> Iterator[tuple[str, dict[str, Any]]]:
    """Records with where each is; those that are not told from the next ones are added to `unread`."""
    header = text.split("\n", 1)[0]
    separator = max(",;\t", key=header.count)
    lines = list(io.StringIO(text, newline=""))
    rows = csv.reader(lines, delimiter=separator)
    try:
        titles = next(rows, [])
        known = {_column(title) for title in titles}
        if not known.intersection(_NAMES["prefixes"] + _NAMES["urls"]):
            raise UsageFault(f"{name} has no column called prefixes or url; it has {', '.join(titles)[:200]}")
        unread += _unknown_columns(name, titles)
        first = rows.line_num
        for row in rows:
            first, before = rows.line_num, first
            if has_open_quote(lines[before:first], separator):
                unread.append(_open_quote(name, before + 1, first))
            elif any(row):
                yield f"{name}, line {rows.line_num}", dict(zip(titles, row, strict=False))
    except csv.Error as error:
        raise UsageFault(f"{name}, line {rows.line_num}: {error}") from None


def _column(title: str) -> str:
    return title.strip().lower().replace(" ", "_")


def _unknown_columns(name: str, titles: list[str]) -> Iterator[ImportLine]:
    known = {"", *_FIGURES, *(spelling for spellings in _NAMES.values() for spelling in spellings)}
    unknown = [
        title[:100]
        for title in titles
        if _column(title) not in known
        and _HYPHE_TAG_COLUMN.fullmatch(title) is None
        and _TAG_COLUMN.fullmatch(title) is None
    ]
    if unknown:
        named = ", ".join(unknown[:20])
        words = f"columns that are not imported: {named}; a column of tags is called USER:category"
        yield ImportLine(f"{name}, line 1", ImportOutcome.REMARK, words)


def _open_quote(name: str, first: int, last: int) -> ImportLine:
    taken = "" if first == last else f", so that the lines up to {last} were taken for a part of it"
    words = f"a quote is opened here that is not closed{taken}: close it, or write it twice"
    return ImportLine(f"{name}, line {first}", ImportOutcome.REFUSED, words)


def _entity(where: str, record: Mapping[str, Any]) -> ImportedEntity:
    plain = {_column(str(title)): value for title, value in record.items()}

    def cell(what: str) -> Any:
        return next((plain[name] for name in _NAMES[what] if plain.get(name) not in (None, "", [])), None)

    prefixes = _several(cell("prefixes"), _BETWEEN_PREFIXES)
    tags = tuple(dict.fromkeys((*_tags_of_columns(record), *_tags(cell("tags")))))
    return ImportedEntity(
        where=where,
        prefixes=prefixes or _several(cell("urls"), _BETWEEN_URLS),
        key=_words(cell("id")),
        name=_words(cell("name")),
        status=_status(cell("status")),
        homepage=_words(cell("homepage")),
        start_pages=_start_pages(_several(cell("start_pages"), _BETWEEN_URLS), tags),
        tags=tuple(tag for tag in tags if not tag[0].startswith(_TECHNICAL)),
        note=_words(cell("note")),
        widened=not prefixes,
        faults=(*_faults_of_status(cell("status")), *_faults_of_tags(cell("tags"))),
    )


def _words(value: Any) -> str:
    return "" if value is None else _GUARDED.sub("", str(value).strip(), count=1)


def _several(value: Any, border: re.Pattern[str]) -> tuple[str, ...]:
    """Members of a list, or of a text that joins them."""
    if isinstance(value, list):
        members = [str(member) for member in value if member is not None]
    else:
        members = border.split(_words(value))
    return tuple(dict.fromkeys(member.strip() for member in members if member.strip()))


def _status(value: Any) -> WebEntityStatus | None:
    word = _words(value).upper()
    return WebEntityStatus(word) if word in WebEntityStatus.__members__ else None


def _faults_of_status(value: Any) -> Iterator[str]:
    if _words(value) and _status(value) is None:
        yield f"status {_words(value)[:100]} is left out: there are {', '.join(WebEntityStatus.__members__)}"


def _faults_of_tags(value: Any) -> Iterator[str]:
    for member in () if isinstance(value, dict) else _members_of_tags(value):
        if member and _TAG.fullmatch(member) is None:
            yield f"tag {member[:100]} is left out: it is not written as namespace:category=value"


def _start_pages(urls: tuple[str, ...], tags: tuple[Tag, ...]) -> tuple[StartPage, ...]:
    """With where each comes from, as far as the technical tags say."""
    automatic = {value for namespace, category, value in tags if (namespace, category) == (_SOURCES, "auto")}
    return tuple(StartPage(url, "auto" if url in automatic else "user") for url in urls)


def _tags_of_columns(record: Mapping[str, Any]) -> Iterator[Tag]:
    """Tags of tables, where each category has a column of its own."""
    for title, value in record.items():
        theirs, ours = _HYPHE_TAG_COLUMN.fullmatch(str(title)), _TAG_COLUMN.fullmatch(str(title))
        if theirs is not None:
            namespace = "USER" if theirs[2] == "TAGS" else _TECHNICAL
            yield from _tags_of_values(namespace, theirs[1], str(value).split("|"))
        elif ours is not None:
            values = value if isinstance(value, list) else str(value).split(" | ")
            yield from _tags_of_values(ours[1], ours[2], values)


def _tags_of_values(namespace: str, category: str, values: Any) -> Iterator[Tag]:
    for value in values if isinstance(values, list) else [values]:
        if _words(value):
            yield namespace, category.strip(), _words(value)


def _tags(value: Any) -> Iterator[Tag]:
    """Tags as objects (namespace -> category -> values, or category -> values), or as
    "namespace:category=value" in a list or joined by bars."""
    if isinstance(value, dict):
        for name, inner in value.items():
            if isinstance(inner, dict):
                for category, values in inner.items():
                    yield from _tags_of_values(str(name), str(category), values)
            else:
                yield from _tags_of_values("USER", str(name), inner)
        return
    for member in _members_of_tags(value):
        match = _TAG.fullmatch(member)
        if match is not None:
            yield from _tags_of_values(match[1], match[2], [match[3]])


def _members_of_tags(value: Any) -> list[str]:
    """Tags written as texts."""
    members = value if isinstance(value, list) else _words(value).split(" | ")
    return [str(member).strip() for member in members]
