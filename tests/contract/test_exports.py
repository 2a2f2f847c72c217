"""What every exporter must do, over each backend. Files are read by readers that are not ours."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Iterator
from pathlib import Path

import networkx
import pytest
from lxml import etree
from warcio.archiveiterator import ArchiveIterator

from hyphe_core.errors import UsageFault
from hyphe_core.exports import (
    FORMATS,
    KIND_WORDS,
    ExportRequest,
    Format,
    Subject,
    parse_kinds,
    write_export,
)
from hyphe_core.parsers.parse_out import read_parse_out, validate
from memory_structure.corpus_records import CorpusOptions
from memory_structure.opening import open_registry
from memory_structure.parse_options import ParseOptions, ScoringChoice
from memory_structure.parses import PageParse, ParsedEntry
from memory_structure.records import (
    NETWORK_KINDS,
    Batch,
    JobSpec,
    LinkKind,
    WebEntityStatus,
    WeightedLink,
)
from memory_structure.registry import Registry
from memory_structure.structure import MemoryStructure
from tests.export_cases import (
    ALL_REQUESTS,
    BATCHES,
    BODIES,
    HOSTILE,
    exported,
    fill,
    golden_path,
    page,
)
from tests.mongodb_server import MongoServer, fresh_database_name

NETWORKS = (Subject.NETWORK, Subject.PAGE_NETWORK, Subject.NODE_NETWORK)

PAGE_COLUMNS = (
    "url,lru,web_entity_id,web_entity,status,error,depth,redirect_url,content_type,title,fetched_at"
)
LINK_COLUMNS = "source_url,target_url,source_web_entity_id,target_web_entity_id,kind,count,anchor,rel,area"


@pytest.fixture(scope="module")
def registry(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Registry]:
    registry = open_registry(tmp_path_factory.mktemp("exports"))
    fill(registry)
    yield registry
    registry.close()


@pytest.fixture
def structure(registry: Registry) -> MemoryStructure:
    return registry.open_structure("exports")


def text_of(registry: Registry, subject: Subject, form: Format, **more: object) -> str:
    return exported(registry, "exports", ExportRequest(subject, form, **more)).decode()  # type: ignore[arg-type]


def rows_of(registry: Registry, subject: Subject, **more: object) -> list[dict[str, str]]:
    text = text_of(registry, subject, Format.CSV, **more)
    return list(csv.DictReader(io.StringIO(text, newline="")))


@pytest.mark.parametrize(("subject", "form"), ALL_REQUESTS)
def test_the_bytes_are_those_of_the_golden_file(registry: Registry, subject: Subject, form: Format) -> None:
    assert (
        exported(registry, "exports", ExportRequest(subject, form)) == golden_path(subject, form).read_bytes()
    )


def test_parses_are_a_valid_parse_out_document(registry: Registry) -> None:
    document = text_of(registry, Subject.PARSES, Format.XML).encode()
    assert validate(document) == []
    first, moved, feed, entry = read_parse_out(document)
    assert (first.link, first.text.endswith("second line")) == ("http://a.example.com", True)
    assert len(first.creator) == 1
    assert {link.url for link in first.outlinks} >= {"http://b.example.org", "http://b.example.org/x?q=1"}
    assert moved.redirect == ("http://c.example.net/deep/er", 0)
    assert (feed.link, feed.content_type) == ("http://b.example.org/x?q=1", "application/rss+xml")
    assert (entry.link, entry.text, entry.date) == ("http://b.example.org/1", "entry", ("2026",))


def test_an_entry_that_was_crawled_itself_is_one_parse(tmp_path: Path) -> None:
    registry = open_registry(tmp_path)
    registry.create_corpus("exports", CorpusOptions())
    structure = registry.open_structure("exports")
    structure.create_job(JobSpec(None, ("http://a.example.com",), ("s:http|",)))
    entries = tuple(ParsedEntry(f"http://a.example.com/{name}", name) for name in "121")
    structure.write_batch(
        Batch(
            (
                page("http://a.example.com/feed", parse=PageParse(entries=entries)),
                page("http://a.example.com/2", parse=PageParse(), title="the page"),
                page("http://z.example.com/feed", parse=PageParse(entries=entries)),
            )
        )
    )
    document = text_of(registry, Subject.PARSES, Format.XML).encode()
    assert validate(document) == []
    titles = {parse.link: parse.title for parse in read_parse_out(document)}
    assert (titles["http://a.example.com/1"], titles["http://a.example.com/2"]) == ("1", "the page")
    registry.close()


def test_texts_come_with_their_web_entity(registry: Registry) -> None:
    rows = rows_of(registry, Subject.TEXTS)
    assert [row["text"] for row in rows][1:] == ["words"]
    assert all(row["web_entity"] for row in rows)


def test_pages_have_a_score_where_the_corpus_keeps_scores(tmp_path: Path) -> None:
    registry = open_registry(tmp_path)
    options = CorpusOptions(parsing=ParseOptions(scoring=ScoringChoice.OPIC))
    registry.create_corpus("exports", options)
    structure = registry.open_structure("exports")
    structure.create_job(JobSpec(None, ("http://a.example.com",), ("s:http|",)))
    structure.write_batch(BATCHES[0])
    scores = {row["url"]: row["score"] for row in rows_of(registry, Subject.PAGES)}
    assert scores["http://a.example.com"] == "1.0"
    assert float(scores["http://b.example.org"]) == pytest.approx(0.4)
    registry.close()


@pytest.mark.parametrize(("subject", "form"), ALL_REQUESTS)
def test_exported_twice_the_bytes_are_the_same(registry: Registry, subject: Subject, form: Format) -> None:
    request = ExportRequest(subject, form)
    assert exported(registry, "exports", request) == exported(registry, "exports", request)


def test_both_backends_give_the_same_bytes(
    registry: Registry, tmp_path: Path, mongodb_server: MongoServer
) -> None:
    other = open_registry(tmp_path, mongodb_server.uri)
    corpus_id = fill(other, fresh_database_name())
    try:
        for subject, form in ALL_REQUESTS:
            request = ExportRequest(subject, form)
            assert exported(other, corpus_id, request) == exported(registry, "exports", request), request
    finally:
        other.destroy_corpus(corpus_id)
        other.close()


def read_graph(text: str, form: Format) -> networkx.DiGraph:
    read = networkx.read_gexf if form is Format.GEXF else networkx.read_graphml
    return read(io.BytesIO(text.encode()))


@pytest.mark.parametrize("subject", NETWORKS)
@pytest.mark.parametrize("form", [Format.GEXF, Format.GRAPHML])
def test_graph_files_hold_the_network_for_other_readers(
    registry: Registry, subject: Subject, form: Format
) -> None:
    graph = read_graph(text_of(registry, subject, form), form)
    document = json.loads(text_of(registry, subject, Format.JSON))
    assert graph.is_directed()
    assert sorted(graph) == sorted(node["id"] for node in document["nodes"])
    edges = {(edge["source"], edge["target"]): edge["weight"] for edge in document["edges"]}
    assert {(a, b): w for a, b, w in graph.edges(data="weight")} == edges
    for node in document["nodes"]:
        attributes = graph.nodes[node["id"]]
        for name in ("web_entity_id", "status", "depth", "fetched", "pages", "indegree", "internal_links"):
            if node.get(name) is not None:
                assert attributes[name] == node[name]
                assert type(attributes[name]) is type(node[name])


def test_the_network_is_that_of_the_structure(registry: Registry, structure: MemoryStructure) -> None:
    edges = [tuple(map(int, row.values())) for row in rows_of(registry, Subject.NETWORK)]
    assert edges == [tuple(link) for link in structure.web_entity_links()]
    assert edges, "the corpus has links"


def test_isolated_nodes_are_in_every_graph(registry: Registry) -> None:
    for form in (Format.GEXF, Format.GRAPHML):
        graph = read_graph(text_of(registry, Subject.NETWORK, form), form)
        labels = {graph.nodes[node].get("label") for node in networkx.isolates(graph)}
        assert len(labels) == 2
        assert any("café 💡" in label for label in labels)


def test_characters_that_xml_forbids_are_replaced_and_all_others_kept(registry: Registry) -> None:
    expected = HOSTILE
    for character in "\x00\x0b\x1f\ufffe":
        expected = expected.replace(character, "\ufffd")
    root = etree.fromstring(text_of(registry, Subject.NETWORK, Format.GEXF).encode())
    labels = root.xpath("//*[local-name()='node']/@label")
    assert expected in labels
    root = etree.fromstring(text_of(registry, Subject.NETWORK, Format.GRAPHML).encode())
    assert expected in root.xpath("//*[local-name()='data'][@key='node.label']/text()")
    assert expected in [row["Label"] for row in rows_of(registry, Subject.WEB_ENTITIES)]


@pytest.mark.parametrize(
    ("subject", "columns"),
    [
        (Subject.PAGES, PAGE_COLUMNS),
        (Subject.LINKS, LINK_COLUMNS),
        (Subject.WEB_ENTITIES, "Id,Label"),
        *((subject, "Source,Target,Weight") for subject in NETWORKS),
    ],
)
def test_csv_begins_with_the_promised_columns(registry: Registry, subject: Subject, columns: str) -> None:
    header = text_of(registry, subject, Format.CSV).partition("\n")[0]
    assert header == columns or header.startswith(columns + ",")


@pytest.mark.parametrize("subject", [Subject.PAGES, Subject.LINKS])
def test_csv_and_json_say_the_same(registry: Registry, subject: Subject) -> None:
    documents = json.loads(text_of(registry, subject, Format.JSON))
    rows = rows_of(registry, subject)
    assert len(documents) == len(rows)
    for document, row in zip(documents, rows, strict=True):
        assert list(document) == list(row)
        for name, value in document.items():
            if name not in ("title", "anchor"):
                shown = "" if value is None else str(value)
                assert row[name] == (shown.lower() if isinstance(value, bool) else shown)


def test_pages_tell_fetched_failed_and_unfetched_apart(registry: Registry) -> None:
    rows = {row["url"]: row for row in rows_of(registry, Subject.PAGES)}
    outcomes = {
        url: (row["status"], row["error"], row["depth"], row["redirect_url"]) for url, row in rows.items()
    }
    assert outcomes == {
        "http://a.example.com": ("200", "", "0", ""),
        "http://a.example.com/moved": ("301", "", "1", "http://c.example.net/deep/er"),
        "http://a.example.com/style.css": ("", "", "", ""),
        "http://b.example.org": ("", "", "", ""),
        "http://b.example.org/x?q=1": ("200", "", "0", ""),
        "http://c.example.net/deep/er": ("", "", "", ""),
        "http://gone.example.net": ("404", "", "2", ""),
        "http://slow.example.net": ("", "timeout", "0", ""),
    }
    assert rows["http://a.example.com"]["fetched_at"] == "2026-01-31T12:00:00.250Z"
    assert rows["http://b.example.org"]["fetched_at"] == ""


def test_links_carry_their_evidence(registry: Registry) -> None:
    rows = [row for row in rows_of(registry, Subject.LINKS) if row["target_url"] == "http://b.example.org"]
    assert [(row["kind"], row["count"], row["rel"], row["area"]) for row in rows] == [
        ("hyperlink", "3", "nofollow", "nav"),
        ("frame", "1", "", "main"),
    ]


def test_head_links_are_in_the_table_and_in_no_network(registry: Registry) -> None:
    assert any(row["kind"] == "head" for row in rows_of(registry, Subject.LINKS))
    targets = {row["Target"] for row in rows_of(registry, Subject.PAGE_NETWORK)}
    assert "http://a.example.com/style.css" not in targets


def test_head_links_enter_the_network_of_pages_on_request(registry: Registry) -> None:
    style = {"Source": "http://a.example.com", "Target": "http://a.example.com/style.css", "Weight": "1"}
    usual = rows_of(registry, Subject.PAGE_NETWORK)
    everything = rows_of(registry, Subject.PAGE_NETWORK, kinds=frozenset(LinkKind))
    assert style not in usual
    assert [row for row in everything if row not in usual] == [style]
    assert len(everything) == len(usual) + 1
    assert rows_of(registry, Subject.PAGE_NETWORK, kinds=frozenset({LinkKind.HEAD})) == [style]
    assert rows_of(registry, Subject.PAGE_NETWORK, kinds=NETWORK_KINDS) == usual
    frames = rows_of(registry, Subject.PAGE_NETWORK, kinds=frozenset({LinkKind.FRAME}))
    assert [(row["Target"], row["Weight"]) for row in frames] == [("http://b.example.org", "1")]


@pytest.mark.parametrize("kind", list(LinkKind))
def test_links_of_chosen_kinds_are_those_of_the_table(registry: Registry, kind: LinkKind) -> None:
    rows = rows_of(registry, Subject.LINKS)
    chosen = rows_of(registry, Subject.LINKS, kinds=frozenset({kind}))
    assert chosen == [row for row in rows if row["kind"] == KIND_WORDS[kind]]
    assert bool(chosen) == (kind not in (LinkKind.REFRESH, LinkKind.FEED)), "as the corpus has them"


@pytest.mark.parametrize("subject", [s for s in Subject if s not in (Subject.LINKS, Subject.PAGE_NETWORK)])
def test_kinds_cannot_be_chosen_where_they_are_not_kept(subject: Subject) -> None:
    with pytest.raises(UsageFault, match=f"for page-network and links, not {subject}"):
        ExportRequest(subject, FORMATS[subject][0], kinds=NETWORK_KINDS)


def test_kinds_are_read_from_words() -> None:
    assert parse_kinds("head, Feed") == {LinkKind.HEAD, LinkKind.FEED}
    assert parse_kinds(",".join(KIND_WORDS.values())) == set(LinkKind)
    with pytest.raises(
        UsageFault, match=r"'headd' is no kind of link; did you mean head.*'' is no kind"
    ) as caught:
        parse_kinds("hyperlink,headd,")
    assert "'hyperlink'" not in str(caught.value)


def test_formulas_are_guarded_only_when_asked(registry: Registry) -> None:
    def cells(guard: bool) -> set[str]:
        links = rows_of(registry, Subject.LINKS, guard_formulas=guard)
        pages = rows_of(registry, Subject.PAGES, guard_formulas=guard)
        return {row["anchor"] for row in links} | {row["title"] for row in pages}

    assert {"=HYPERLINK(1)", "-2+3"} <= cells(False)
    assert {"'=HYPERLINK(1)", "'-2+3"} <= cells(True)
    assert not {cell for cell in cells(True) if cell.startswith(("=", "-", "+", "@"))}


def test_a_status_keeps_its_entities_their_pages_and_links(registry: Registry) -> None:
    kept = frozenset({WebEntityStatus.IN})
    document = json.loads(text_of(registry, Subject.NETWORK, Format.JSON, statuses=kept))
    assert [node["status"] for node in document["nodes"]] == ["IN"]
    assert document["edges"] == []
    for subject, column in ((Subject.PAGES, "web_entity_id"), (Subject.LINKS, "source_web_entity_id")):
        owners = {row[column] for row in rows_of(registry, subject, statuses=kept)}
        assert owners == {document["nodes"][0]["id"]}
    both = frozenset({WebEntityStatus.IN, WebEntityStatus.OUT})
    assert len(rows_of(registry, Subject.NETWORK, statuses=both)) == 2
    assert len(rows_of(registry, Subject.PAGE_NETWORK, statuses=both)) == 4
    assert len(rows_of(registry, Subject.NODE_NETWORK, statuses=both)) == 4


def test_each_tag_category_is_a_column_of_its_own(registry: Registry) -> None:
    row = next(row for row in rows_of(registry, Subject.WEB_ENTITIES) if row["status"] == "IN")
    assert row["TECHNICAL:seen"] == "yes"
    assert row["USER:kind"] == "press | daily | weekly"


def test_the_archive_holds_the_bodies_for_another_reader(registry: Registry) -> None:
    archive = io.BytesIO(exported(registry, "exports", ExportRequest(Subject.PAGES, Format.WARC)))
    found = {}
    for record in ArchiveIterator(archive, check_digests="raise"):
        if record.rec_type == "response":
            url = record.rec_headers.get_header("WARC-Target-URI")
            found[url] = record.content_stream().read()
            assert record.http_headers.get_header("Content-Length") == str(len(found[url]))
            assert record.http_headers.get_header("Content-Encoding") is None
            assert record.http_headers.get_header("Content-Type") == "text/html; charset=utf-8"
            if url == "http://a.example.com/moved":
                assert record.http_headers.get_statuscode() == "301"
                assert record.http_headers.get_header("Location") == "http://c.example.net/deep/er"
                assert record.rec_headers.get_header("WARC-Date") == "2026-01-31T12:01:00.250Z"
    assert found == {url + "/" * (url == "http://a.example.com"): body for url, body in BODIES.items()}


def test_a_compressed_archive_is_the_same_each_time_and_readable(
    registry: Registry, structure: MemoryStructure
) -> None:
    request = ExportRequest(Subject.PAGES, Format.WARC)
    streams = [io.BytesIO(), io.BytesIO()]
    for stream in streams:
        write_export(structure, request, stream, blobs=registry.open_blobs("exports"))
    assert streams[0].getvalue() == streams[1].getvalue()
    streams[0].seek(0)
    assert len(list(ArchiveIterator(streams[0]))) == 1 + len(BODIES)


def test_absent_bodies_are_counted_and_the_others_written(tmp_path: Path) -> None:
    registry = open_registry(tmp_path)
    structure = registry.open_structure(fill(registry))
    blobs = registry.open_blobs("exports")
    blobs.delete(next(iter(blobs.iter_digests())))
    report = write_export(structure, ExportRequest(Subject.PAGES, Format.WARC), io.BytesIO(), blobs=blobs)
    assert (report.n_rows, report.n_missing) == (2, 1)
    registry.close()


def test_an_empty_corpus_exports_as_well_formed_files(tmp_path: Path) -> None:
    registry = open_registry(tmp_path)
    corpus_id = registry.create_corpus("empty", CorpusOptions()).corpus_id
    for subject, form in ALL_REQUESTS:
        octets = exported(registry, corpus_id, ExportRequest(subject, form))
        if form in (Format.GEXF, Format.GRAPHML):
            assert len(read_graph(octets.decode(), form)) == 0
        elif form is Format.JSON:
            assert json.loads(octets) in ([], {"nodes": [], "edges": []})
        elif form is Format.CSV:
            assert octets.count(b"\n") == 1
        elif form is Format.XML:
            assert len(etree.fromstring(octets)) == 0
        else:
            assert [r.rec_type for r in ArchiveIterator(io.BytesIO(octets))] == ["warcinfo"]
    registry.close()


def test_edges_at_nodes_that_were_not_written_are_left_out(
    registry: Registry, structure: MemoryStructure, monkeypatch: pytest.MonkeyPatch
) -> None:
    """As when entities and pages come and go while the export runs."""
    kind = type(structure)
    links, pages, nodes = (
        structure.web_entity_links(),
        list(structure.iter_pages()),
        list(structure.iter_nodes()),
    )
    monkeypatch.setattr(kind, "web_entity_links", lambda self: [*links, WeightedLink(2, 999, 1)])
    monkeypatch.setattr(
        kind, "iter_pages", lambda self: (p for p in pages if p.url != "http://b.example.org")
    )
    monkeypatch.setattr(kind, "iter_nodes", lambda self: (n for n in nodes if not n[0].endswith("|h:b|")))
    assert [row["Target"] for row in rows_of(registry, Subject.NETWORK)] == ["1", "3", "2"]
    for subject in (Subject.PAGE_NETWORK, Subject.NODE_NETWORK):
        rows = rows_of(registry, subject)
        assert len(rows) == 4
        assert not any(row["Target"].endswith(("|h:b|", "b.example.org")) for row in rows)


def test_a_format_that_a_subject_has_not_is_refused() -> None:
    with pytest.raises(UsageFault, match=r"pages cannot be written as gexf; it can as csv, json, warc"):
        ExportRequest(Subject.PAGES, Format.GEXF)


def test_progress_tells_every_row(structure: MemoryStructure) -> None:
    steps: list[int] = []
    report = write_export(
        structure, ExportRequest(Subject.PAGES, Format.CSV), io.BytesIO(), progress=steps.append
    )
    assert sum(steps) == report.n_rows == 8


# -- a selection of web entities


def test_a_selection_has_its_pages_the_links_that_leave_them_and_the_links_among_them(
    registry: Registry, structure: MemoryStructure
) -> None:
    ids = sorted({page.web_entity_id for page in structure.iter_pages()})
    chosen = frozenset(ids[:2])
    whole = rows_of(registry, Subject.PAGES)
    pages = rows_of(registry, Subject.PAGES, entities=chosen)
    assert {row["url"] for row in pages} == {
        row["url"] for row in whole if int(row["web_entity_id"]) in chosen
    }
    links = rows_of(registry, Subject.LINKS, entities=chosen)
    leaving = [row for row in rows_of(registry, Subject.LINKS) if int(row["source_web_entity_id"]) in chosen]
    assert sorted(map(str, links)) == sorted(map(str, leaving))
    urls = {row["url"] for row in pages}
    edges = rows_of(registry, Subject.PAGE_NETWORK, entities=chosen)
    among = [row for row in rows_of(registry, Subject.PAGE_NETWORK) if {row["Source"], row["Target"]} <= urls]
    assert sorted(row["Source"] + row["Target"] for row in edges) == sorted(
        row["Source"] + row["Target"] for row in among
    )
    assert edges


@pytest.mark.parametrize(
    ("subject", "form"),
    [(Subject.NETWORK, Format.GEXF), (Subject.PAGES, Format.WARC), (Subject.NODE_NETWORK, Format.CSV)],
)
def test_a_selection_is_refused_where_it_means_nothing(subject: Subject, form: Format) -> None:
    with pytest.raises(UsageFault, match="web entities can be chosen for links, page-network, pages"):
        ExportRequest(subject, form, entities=frozenset({1}))
