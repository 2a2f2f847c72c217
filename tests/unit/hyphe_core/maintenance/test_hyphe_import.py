"""Importing what Hyphe wrote, and lists of web entities."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from hyphe_core.errors import UsageFault
from hyphe_core.maintenance.hyphe_import import import_plan
from hyphe_core.maintenance.hyphe_import_reading import read_files, read_texts
from hyphe_core.maintenance.hyphe_import_records import ImportOutcome, ImportReport
from memory_structure.corpus_records import CorpusOptions
from memory_structure.opening import open_registry
from memory_structure.records import StartPage, WebEntity, WebEntityStatus
from memory_structure.structure import MemoryStructure
from tests.corpus_cases import lru

IN, OUT, UNDECIDED, DISCOVERED = (WebEntityStatus[name] for name in ("IN", "OUT", "UNDECIDED", "DISCOVERED"))


@pytest.fixture
def structure(tmp_path: Path) -> Iterator[MemoryStructure]:
    registry = open_registry(tmp_path / "data")
    yield registry.open_structure(registry.create_corpus("corpus", CorpusOptions()).corpus_id)
    registry.close()


def imported(structure: MemoryStructure, *, name: str = "list.csv", text: str, **more: Any) -> ImportReport:
    return import_plan(structure, read_texts({name: text}), **more)


def by_name(structure: MemoryStructure) -> dict[str, WebEntity]:
    return {entity.name: entity for entity in structure.list_web_entities()}


def told(report: ImportReport) -> list[tuple[str, str]]:
    return [(line.where, line.outcome.value) for line in report.lines]


# -- a backup of Hyphe

FOUR = [lru("a.org"), lru("www.a.org"), lru("a.org", scheme="https"), lru("www.a.org", scheme="https")]
BACKUP: dict[str, Any] = {
    "options.json": {
        "_id": "old",
        "name": "Old corpus",
        "password": "0123abcd",
        "options": {"max_depth": 2, "defaultCreationRule": "subdomain"},
        "creation_rules": [
            {"prefix": "DEFAULT_WEBENTITY_CREATION_RULE", "regexp": "(s:...)", "name": "subdomain"},
            {"prefix": lru("twitter.com"), "regexp": "(s:...)", "name": "path-1"},
            {"prefix": lru("own.net"), "regexp": "(.*)x", "name": "unknown regexp"},
        ],
    },
    "tags.json": {"USER": {"kind": {"press": 1}}},
    "crawls.json": [
        {"_id": "x", "webentity_id": 12, "crawl_arguments": {"start_urls": ["http://b.org/start"]}},
        {"_id": "y", "webentity_id": None, "crawl_arguments": {}},
    ],
    "webentities.json": [
        {
            "_id": 7,
            "id": 7,
            "name": "A",
            "status": "IN",
            "prefixes": FOUR,
            "homepage": "http://www.a.org/",
            "startpages": ["http://a.org/one", "http://www.a.org", "http://elsewhere.org"],
            "tags": {
                "USER": {"kind": ["press", "weekly"], "FREETAGS": ["a note"]},
                "CORE": {"recrawlNeeded": ["true"]},
                "CORE-STARTPAGES": {"auto": ["http://www.a.org"], "user": ["http://a.org/one"]},
            },
        },
        {
            "_id": 12,
            "id": 12,
            "name": "B",
            "status": "OUT",
            "prefixes": ["s:http|h:org|h:b|p:blog|"],
            "tags": {},
        },
        {"_id": 13, "name": "B whole", "status": "DISCOVERED", "prefixes": [lru("b.org")], "homepage": None},
        {"_id": 14, "name": "Broken", "status": "IN", "prefixes": ["h:org|h:x|", "s:ftp|h:org|h:x|"]},
    ],
    "links.json": [[7, 12, 3]],
}


@pytest.fixture
def backup(tmp_path: Path) -> Path:
    folder = tmp_path / "2020-01-01T00:00:00"
    folder.mkdir()
    for name, document in BACKUP.items():
        (folder / name).write_text(json.dumps(document))
    (folder / "other.txt").write_text("not ours")
    return folder


def test_a_backup_gives_its_entities_rules_and_options(structure: MemoryStructure, backup: Path) -> None:
    plan = read_files(backup)
    assert (plan.name, plan.options) == ("Old corpus", {"max_depth": 2, "defaultCreationRule": "subdomain"})
    report = import_plan(structure, plan)
    assert (report.n_created, report.n_known, report.n_rules) == (3, 0, 2)
    entities = by_name(structure)
    a, b, whole = entities["A"], entities["B"], entities["B whole"]
    assert (a.status, b.status, whole.status) == (IN, OUT, DISCOVERED)
    assert set(a.prefixes) == set(FOUR)
    assert a.tags == (("USER", "FREETAGS", "a note"), ("USER", "kind", "press"), ("USER", "kind", "weekly"))
    assert a.start_pages == (StartPage("http://a.org/one", "user"), StartPage("http://www.a.org", "auto"))
    assert a.homepage == "http://www.a.org/"
    assert b.start_pages == ()
    assert structure.rules().default.preset == structure.rules().default.preset.parse("subdomain")
    assert lru("twitter.com") in {rule.prefix for rule in structure.rules().rules}
    assert structure.check() == []


def test_what_a_backup_cannot_give_is_told(structure: MemoryStructure, backup: Path) -> None:
    lines = {
        (line.where, line.outcome, line.message) for line in import_plan(structure, read_files(backup)).lines
    }
    words = {where: message for where, _, message in lines}
    assert words["crawls.json"].startswith("2 crawl jobs: ")
    assert words["links.json"].startswith("1 links between web entities: ")
    assert "unknown regexp" in words["options.json, rule 3"]
    told_of = {where for where, outcome, _ in lines if outcome is ImportOutcome.REFUSED}
    assert told_of == {"crawls.json", "links.json", "options.json, rule 3", "webentities.json, entity 4"}
    parts = {(where, message) for where, outcome, message in lines if outcome is ImportOutcome.PARTLY}
    assert ("webentities.json, entity 1", "start page http://elsewhere.org does not belong to it") in parts
    assert ("webentities.json, entity 2", "start page http://b.org/start does not belong to it") in parts
    assert sum(where == "webentities.json, entity 4" for where, _ in parts) == 2


def test_importing_again_changes_nothing(structure: MemoryStructure, backup: Path) -> None:
    import_plan(structure, read_files(backup))
    before, version = structure.list_web_entities(), structure.version()
    report = import_plan(structure, read_files(backup))
    assert (report.n_created, report.n_known, report.n_rules) == (0, 3, 0)
    assert structure.list_web_entities() == before
    assert structure.version() == version


@pytest.mark.parametrize(
    ("name", "text", "words"),
    [
        ("options.json", "[]", "not an object"),
        ("options.json", "{", "not JSON"),
        ("webentities.json", "{}", "no list of web entities"),
        ("webentities.json", "[" * 100_000, "not JSON"),
        ("list.csv", "a;b\n1;2\n", "no column called prefixes or url"),
        ("list.csv", "", "no column called prefixes or url"),
        ("creationrules.json", "{}", "not a list"),
    ],
)
def test_what_cannot_be_read_is_a_usage_fault(name: str, text: str, words: str) -> None:
    with pytest.raises(UsageFault, match=words):
        read_texts({name: text})


def test_bytes_that_are_no_text_are_told(tmp_path: Path) -> None:
    for name, octets in [
        ("list.csv", b"url\n\x81"),
        ("list.csv", b"url\n\xe9\x00"),
        ("list.csv", b"\xff\xfeu\x00r"),
        ("webentities.json", b'[{"name": "\xe9"}]'),
    ]:
        (tmp_path / name).write_bytes(octets)
        with pytest.raises(UsageFault, match="not text in UTF-8"):
            read_files(tmp_path / name)


@pytest.mark.parametrize(
    ("encoding", "remarks"),
    [
        ("utf-8", []),
        ("utf-8-sig", []),
        ("utf-16", []),
        ("windows-1252", [("list.csv", "remark")]),
    ],
)
def test_tables_of_spreadsheets_are_read_in_their_encodings(
    structure: MemoryStructure, tmp_path: Path, encoding: str, remarks: list[tuple[str, str]]
) -> None:
    text = "name\turl\r\nCaf\xe9 \u20ac\thttp://cafe.org/\r\n"
    (tmp_path / "list.csv").write_bytes(text.encode(encoding))
    report = import_plan(structure, read_files(tmp_path / "list.csv"))
    assert list(by_name(structure)) == ["Caf\xe9 \u20ac"]
    assert (told(report), report.n_refused) == (remarks, 0)
    assert all("windows-1252" in line.message for line in report.lines)


def test_utf16_in_the_other_order_of_octets_is_read(tmp_path: Path) -> None:
    (tmp_path / "list.csv").write_bytes(b"\xfe\xff" + "url\nhttp://a.org/\n".encode("utf-16-be"))
    assert [e.prefixes for e in read_files(tmp_path / "list.csv").entities] == [("http://a.org/",)]


@pytest.mark.parametrize(
    ("rows", "names", "where", "words"),
    [
        ('"A,http://a.org/\nB,http://b.org/\n', [], "line 2", "the lines up to 3"),
        ('A,http://a.org/\nB,"http://b.org/', ["A"], "line 3", "not closed: close it"),
        ('"A,http://a.org/\n"B",http://b.org/\nC,http://c.org/\n', ["C"], "line 2", "the lines up to 3"),
    ],
)
def test_a_quote_that_is_not_closed_is_told(
    structure: MemoryStructure, rows: str, names: list[str], where: str, words: str
) -> None:
    report = imported(structure, text="name,url\n" + rows)
    assert sorted(by_name(structure)) == names
    assert told(report) == [(f"list.csv, {where}", "not imported")]
    assert words in report.lines[0].message


def test_cells_of_several_lines_and_quotes_within_are_read(structure: MemoryStructure) -> None:
    rows = '"A ""first""\nof two",http://a.org/\nB 5" disk,http://b.org/ \n6" and 7",http://c.org/\n'
    report = imported(structure, text="name,url\n" + rows)
    assert (report.n_created, report.n_refused) == (3, 0)


# -- lists


@pytest.mark.parametrize(
    ("name", "text"),
    [
        (
            "web page.csv",
            '"ID","NAME","PREFIXES AS LRU","HOME PAGE","START PAGES","STATUS",'
            '"kind (TAGS)","x (TECHNICAL INFO)"\n'
            '"1","A","s:http|h:org|h:a| s:https|h:org|h:a|","http://a.org","http://a.org/1 http://a.org/2",'
            '"UNDECIDED","press|weekly","true"\n',
        ),
        (
            "web page.scsv",
            "ID;NAME;PREFIXES;HOME PAGE;START PAGES;STATUS;kind (TAGS)\n"
            "1;A;http://a.org https://a.org;http://a.org;http://a.org/1 http://a.org/2;undecided;press|weekly\n",
        ),
        (
            "light.csv",
            "id,name,status,prefixes,homepage,startpages,tags\n"
            "1,A,UNDECIDED,http://a.org|https://a.org,http://a.org,http://a.org/1|http://a.org/2,"
            "USER:kind=press | USER:kind=weekly\n",
        ),
        (
            "web page.json",
            json.dumps(
                {
                    "exportTimestamp": 1,
                    "webentities": [
                        {
                            "ID": 1,
                            "NAME": "A",
                            "PREFIXES AS LRU": ["s:http|h:org|h:a|", "s:https|h:org|h:a|"],
                            "HOME PAGE": "http://a.org",
                            "START PAGES": ["http://a.org/1", "http://a.org/2"],
                            "STATUS": "UNDECIDED",
                            "TAGS": {"kind": ["press", "weekly"]},
                        }
                    ],
                }
            ),
        ),
        (
            "ours.tsv",
            "\ufeffId\tLabel\tstatus\tprefixes\thomepage\tstart_pages\tUSER:kind\n"
            "1\tA\tUNDECIDED\ts:http|h:org|h:a| s:https|h:org|h:a|\thttp://a.org\thttp://a.org/1 http://a.org/2"
            "\tpress | weekly\n",
        ),
    ],
)
def test_each_kind_of_list_gives_the_same_entity(structure: MemoryStructure, name: str, text: str) -> None:
    report = imported(structure, name=name, text=text)
    assert (report.n_created, report.lines) == (1, ())
    (entity,) = structure.list_web_entities()
    assert (entity.name, entity.status, entity.homepage) == ("A", UNDECIDED, "http://a.org")
    assert set(entity.prefixes) == {lru("a.org"), lru("a.org", scheme="https")}
    assert [page.url for page in entity.start_pages] == ["http://a.org/1", "http://a.org/2"]
    assert entity.tags == (("USER", "kind", "press"), ("USER", "kind", "weekly"))


def test_addresses_of_people_get_all_variations_and_are_in(structure: MemoryStructure) -> None:
    imported(structure, text="name,url\nA,a.org\n")
    (entity,) = structure.list_web_entities()
    assert (set(entity.prefixes), entity.status) == (set(FOUR), IN)


def test_lines_for_one_site_are_joined_and_told(structure: MemoryStructure) -> None:
    text = (
        "prefixes,name,status,tags\n"
        "http://a.org,A,IN,USER:kind=press\n"
        "https://a.org/,A secure,OUT,USER:kind=daily\n"
        "HTTP://A.ORG:80,again,IN,\n"
        "http://www.a.org,www,IN,\n"
    )
    report = imported(structure, text=text)
    assert told(report) == [("list.csv, line 3", "joined"), ("list.csv, line 4", "joined")]
    assert report.lines[0].message == "the same site as list.csv, line 2; status OUT gives way to IN"
    entity = by_name(structure)["A"]
    assert set(entity.prefixes) == {lru("a.org"), lru("a.org", scheme="https")}
    assert entity.tags == (("USER", "kind", "daily"), ("USER", "kind", "press"))
    assert set(by_name(structure)) == {"A", "www"}


def test_twins_stay_two_on_request(structure: MemoryStructure) -> None:
    report = imported(structure, text="prefixes\nhttp://a.org\nhttps://a.org\n", join_twins=False)
    assert (report.n_created, report.lines) == (2, ())


def test_an_entity_that_is_there_is_completed(structure: MemoryStructure) -> None:
    there = structure.declare_web_entity([lru("a.org")], name="There", tags=[("USER", "kind", "press")])
    other = structure.declare_web_entity([lru("b.org")], name="Other")
    text = (
        "prefixes,name,status,startpages,note,tags\n"
        "https://a.org,A,OUT,http://a.org/x,my note,USER:kind=daily\n"
        "http://a.org/y http://b.org http://a.org,Mixed,IN,,,\n"
    )
    report = imported(structure, text=text, join_twins=True)
    assert told(report) == [("list.csv, line 3", "joined"), ("list.csv, line 2", "not imported")]
    assert f"{there.web_entity_id} and {other.web_entity_id}" in report.lines[1].message
    report = imported(structure, text=text.rsplit("http://a.org/y", 1)[0])
    assert told(report) == [("list.csv, line 2", "known already")]
    entity = structure.get_web_entity(there.web_entity_id)
    assert (entity.name, entity.status, entity.note) == ("There", OUT, "my note")
    assert set(entity.prefixes) == {lru("a.org"), lru("a.org", scheme="https")}
    assert entity.start_pages == (StartPage("http://a.org/x", "user"),)
    assert entity.tags == (("USER", "kind", "daily"), ("USER", "kind", "press"))


def test_start_pages_below_an_entity_that_comes_later_are_told(structure: MemoryStructure) -> None:
    text = (
        "prefixes,name,startpages\n"
        "http://a.org,A,http://a.org/blog/1 http://a.org/2\n"
        "http://a.org/blog,Blog,http://a.org/blog/1\n"
    )
    report = imported(structure, text=text)
    entities = by_name(structure)
    assert [page.url for page in entities["A"].start_pages] == ["http://a.org/2"]
    assert [page.url for page in entities["Blog"].start_pages] == ["http://a.org/blog/1"]
    assert [(line.where, line.message) for line in report.lines] == [
        ("list.csv, line 2", "start page http://a.org/blog/1 does not belong to it")
    ]


def test_a_cell_guarded_from_spreadsheets_is_read_as_it_was(structure: MemoryStructure) -> None:
    imported(structure, text="prefixes,name,note\nhttp://a.org,'=A,'-b\n")
    (entity,) = structure.list_web_entities()
    assert (entity.name, entity.note) == ("=A", "-b")


@pytest.mark.parametrize("separator", [",", ";", "\t"])
def test_a_status_and_tags_that_cannot_be_read_are_told(structure: MemoryStructure, separator: str) -> None:
    lines = [
        ("url", "status", "tags"),
        ("a.org", "maybe", "press | USER:kind=weekly"),
        ("b.org", "out", ""),
    ]
    plan = read_texts({"list.csv": "\n".join(separator.join(line) for line in lines)})
    report = import_plan(structure, plan)
    told = [(line.where, line.outcome.value, line.message.split(":")[0]) for line in report.lines]
    assert told == [
        ("list.csv, line 2", "partly imported", "status maybe is left out"),
        ("list.csv, line 2", "partly imported", "tag press is left out"),
    ]
    statuses = {entity.name: entity.status.value for entity in structure.list_web_entities()}
    assert statuses == {"A.org": "IN", "B.org": "OUT"}
    assert structure.list_web_entities()[0].tags == (("USER", "kind", "weekly"),)


def test_columns_that_nobody_knows_are_told(structure: MemoryStructure) -> None:
    text = "url;statut;USER:kind;INDEGREE;kind (TAGS);Mots clés;\na.org;OUT;press;3;weekly;vent;\n"
    (line,) = imported(structure, text=text).lines
    assert (line.where, line.outcome.value) == ("list.csv, line 1", "remark")
    assert line.message.startswith("columns that are not imported: statut, Mots clés; ")


def test_a_cell_of_several_lines_keeps_line_numbers_right(structure: MemoryStructure) -> None:
    report = imported(structure, text='prefixes,note\nhttp://a.org,"one\ntwo"\nno address,\n')
    assert told(report)[-1] == ("list.csv, line 4", "not imported")
