"""Speed of the generic XML parser through its stylesheet, beside HTML page work on the same pages.

    python -m benchmarks.bench_xml [--pages 200] [--kb 20] [--json]

The pages of the test web are read as HTML by the parser of crawls, and as XML in a vocabulary that no format
knows: once as the same trees, menus, images, scripts and all; once as a document of the same bytes with the
page's text in sections, with as many links as the page has. Megabytes by CPU second and CPU microseconds a
document, the least of five passes that take turns. Then where the time of the XML goes, and what a child
process adds: CPU of the asking process and of the child.
"""

from __future__ import annotations

import argparse
import gc
import json
import os
import time
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass

from lxml import etree

from benchmarks.bench_parse import make_documents
from hyphe_core.parsers.base import Document
from hyphe_core.parsers.html import HtmlParser
from hyphe_core.parsers.html_tree import html_as_xml
from hyphe_core.parsers.markup import Content, probe_of
from hyphe_core.parsers.parse_out_cleaning import clean
from hyphe_core.parsers.parse_out_results import result_of
from hyphe_core.parsers.result_tree import read_result
from hyphe_core.parsers.robots_directives import merge_robots
from hyphe_core.parsers.well_formed import parse_well_formed
from hyphe_core.parsers.xml_parser import InProcess, XmlOptions, XmlParser
from hyphe_core.parsers.xml_pool import XmlPool
from hyphe_core.parsers.xml_wire import LENGTH, pack_outcome, unpack_outcome

N_PASSES = 5
HTML, XML, PROSE = "HTML, as in crawls", "XML, the same trees", "XML, text in sections"
_WORDS_OF_A_PARAGRAPH = 60


@dataclass(frozen=True)
class Row:
    """One line of the table."""

    what: str
    us_per_document: float
    mb_per_second: float


def as_unknown_xml(page: Document) -> Document:
    """The page's tree with element names of no known vocabulary, without namespace."""
    root = html_as_xml(page).root
    for element in root.iter(etree.Element):
        element.tag = etree.QName(element).localname
    root.tag = "page"
    etree.cleanup_namespaces(root)
    body = etree.tostring(root, xml_declaration=True, encoding="UTF-8")
    return Document(page.url, body, "application/xml")


def as_prose(page: Document) -> Document:
    """Text of the page in sections and paragraphs, its links among them, repeated to the page's size."""
    result = HtmlParser().parse(page)
    words = result.text.split()
    links = list(result.links)
    root = etree.Element("report")
    etree.SubElement(root, "title").text = result.title
    n_bytes, at = 0, 0
    n_paragraphs = max(1, len(page.body) // 400)
    while n_bytes < len(page.body) - 300:
        section = etree.SubElement(root, "section")
        etree.SubElement(section, "head").text = " ".join(words[at : at + 5])
        for _ in range(4):
            paragraph = etree.SubElement(section, "para")
            paragraph.text = " ".join(words[at : at + _WORDS_OF_A_PARAGRAPH]) + " "
            for link in links[: 1 + len(result.links) // n_paragraphs]:
                reference = etree.SubElement(paragraph, "ref", href=link.url)
                reference.text, reference.tail = link.anchor or "x", " "
            del links[: 1 + len(result.links) // n_paragraphs]
            at = (at + _WORDS_OF_A_PARAGRAPH) % max(1, len(words) - _WORDS_OF_A_PARAGRAPH)
        n_bytes = len(etree.tostring(root, encoding="UTF-8"))
    body = etree.tostring(root, xml_declaration=True, encoding="UTF-8")
    return Document(page.url, body, "application/xml")


def steps(documents: Sequence[Document]) -> dict[str, Callable[[], None]]:
    """Parts of the work on XML: each entry works through all documents once."""
    engine = InProcess().engine("")
    options = XmlOptions()
    contents = [Content(document) for document in documents]
    probes = [probe_of(content) for content in contents]
    generic = engine.choose(probes[0]).parser
    transform = generic.get_transformer(contents[0])
    roots = [content.well_formed.root for content in contents]
    parameters = {"url": documents[0].url}
    results = [transform(root, parameters) for root in roots]
    outcomes = [InProcess().run(document, options) for document in documents[:1]] * len(documents)
    messages = [pack_outcome(outcome)[LENGTH.size :] for outcome in outcomes]

    def over(values: Sequence[object], work: Callable[..., object]) -> Callable[[], None]:
        return lambda: [work(value) for value in values] and None

    return {
        "step: building the tree": over(documents, lambda one: parse_well_formed(one, strict=False)),
        "step: choosing the format": over(probes, engine.choose),
        "step: stylesheet": over(roots, lambda root: transform(root, parameters)),
        "step: reading the result": over(results, lambda root: read_result(root, "http://e.org/", "")),
        "step: cleaning": lambda: (
            [clean(parse) for root in results for parse in read_result(root, "http://e.org/", "")] and None
        ),
        "wire: packing": over(outcomes, pack_outcome),
        "wire: unpacking": over(messages, unpack_outcome),
        "wire: result of an outcome": lambda: (
            [result_of(outcome, documents[0], merge_robots([], documents[0])) for outcome in outcomes]
            and None
        ),
    }


def measure(work: dict[str, Callable[[], None]], n_bytes: dict[str, int], n: int) -> list[Row]:
    least = dict.fromkeys(work, float("inf"))
    for _ in range(N_PASSES):
        for what, run in work.items():
            began = time.process_time()
            run()
            least[what] = min(least[what], time.process_time() - began)
    return [
        Row(what, seconds / n * 1e6, n_bytes.get(what, n_bytes[XML]) / seconds / 1e6)
        for what, seconds in least.items()
    ]


def child_cost(documents: Sequence[Document]) -> dict[str, float]:
    """CPU microseconds a document: of this process, and of the child, which is read from /proc."""
    pool = XmlPool()
    options = XmlOptions()
    pool.run(documents[0], options)
    child = pool.list_pids()[0]
    ticks = os.sysconf("SC_CLK_TCK")

    def child_seconds() -> float:
        with open(f"/proc/{child}/stat") as stat:
            fields = stat.read().rpartition(")")[2].split()
        return (int(fields[11]) + int(fields[12])) / ticks

    costs = {}
    for what, run in (
        ("one at a time", lambda: [pool.run(document, options) for document in documents]),
        ("many at once", lambda: pool.run_many(documents, options)),
    ):
        before, of_child, began = time.process_time(), child_seconds(), time.perf_counter()
        run()
        n = len(documents)
        costs[f"{what}: asking process, us"] = (time.process_time() - before) / n * 1e6
        costs[f"{what}: child, us"] = (child_seconds() - of_child) / n * 1e6
        costs[f"{what}: wall, us"] = (time.perf_counter() - began) / n * 1e6
    pool.close()
    return costs


def main(argv: Sequence[str] | None = None) -> None:
    options = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    options.add_argument("--pages", type=int, default=200)
    options.add_argument("--kb", type=float, default=20)
    options.add_argument("--json", action="store_true")
    chosen = options.parse_args(argv)
    pages = make_documents(chosen.pages, chosen.kb)
    documents = [as_unknown_xml(page) for page in pages]
    prose = [as_prose(page) for page in pages]
    html, xml = HtmlParser(), XmlParser(InProcess())
    work = {
        HTML: lambda: [html.parse(page) for page in pages] and None,
        XML: lambda: [xml.parse(document) for document in documents] and None,
        PROSE: lambda: [xml.parse(document) for document in prose] and None,
        **steps(documents),
    }
    n_bytes = {HTML: sum(len(page.body) for page in pages), XML: sum(len(one.body) for one in documents)}
    n_bytes[PROSE] = sum(len(one.body) for one in prose)
    gc.freeze()  # as workers do: what stands here for comparison is not looked through at each collection
    gc.set_threshold(20_000, 20, 20)
    rows = measure(work, n_bytes, len(pages))
    by_name = {row.what: row for row in rows}
    summary = {
        "kb of a page": n_bytes[HTML] / len(pages) / 1e3,
        "kb of a document": n_bytes[XML] / len(pages) / 1e3,
        "kb of a document of prose": n_bytes[PROSE] / len(pages) / 1e3,
        "links of a page": sum(len(html.parse(page).links) for page in pages) / len(pages),
        "links of a document": sum(len(xml.parse(one).links) for one in documents) / len(pages),
        "links of a document of prose": sum(len(xml.parse(one).links) for one in prose) / len(pages),
        "speed to HTML, the same trees": by_name[XML].mb_per_second / by_name[HTML].mb_per_second,
        "speed to HTML, text in sections": by_name[PROSE].mb_per_second / by_name[HTML].mb_per_second,
        **child_cost(documents),
    }
    if chosen.json:
        print(json.dumps({"rows": [asdict(row) for row in rows], **summary}))
        return
    for row in rows:
        print(f"{row.what:28} {row.us_per_document:8.1f} us a document {row.mb_per_second:8.1f} MB/s")
    for name, value in summary.items():
        print(f"{name:32} {value:8.2f}")


if __name__ == "__main__":
    main()
