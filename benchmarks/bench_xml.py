"""Speed of the generic XML parser through its stylesheet, beside HTML page work on the same pages.

    python -m benchmarks.bench_xml [--pages 200] [--kb 20] [--json]

The pages of the test web are read as HTML by the parser of crawls, and as XML in a vocabulary that no format
knows: once as the same trees, menus, images, scripts and all; once as a document of the same bytes with the
page's text in sections, with as many links as the page has. Megabytes by CPU second and CPU microseconds a
document, by the least that each document took in passes that take turns. Then where the time of the XML goes,
and what a child process adds: CPU of the asking process and of the child.
"""

from __future__ import annotations

import argparse
import gc
import json
import os
import time
from collections.abc import Callable, Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import asdict, dataclass
from typing import Any, NamedTuple

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

N_PASSES = 15
HTML, XML, PROSE = "HTML, as in crawls", "XML, the same trees", "XML, text in sections"
_WORDS_OF_A_PARAGRAPH = 60


@dataclass(frozen=True)
class Row:
    """One line of the table."""

    what: str
    us_per_document: float
    mb_per_second: float


class Task(NamedTuple):
    """Work to be timed on each value."""

    work: Callable[[Any], object]
    values: Sequence[Any]


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


def make_all(n_pages: int, kb: float) -> tuple[list[Document], list[Document], list[Document]]:
    """The pages, and as XML: the same trees, and their text in sections."""
    pages = make_documents(n_pages, kb)
    return pages, list(map(as_unknown_xml, pages)), list(map(as_prose, pages))


def steps(documents: Sequence[Document]) -> dict[str, Task]:
    """Parts of the work on XML."""
    engine = InProcess().engine("")
    options = XmlOptions()
    contents = [Content(document) for document in documents]
    probes = [probe_of(content) for content in contents]
    generic = engine.choose(probes[0]).parser
    transform = generic.get_transformer(contents[0])
    roots = [generic.to_well_formed_xml(content).root for content in contents]
    parameters = {"url": documents[0].url, "has-addresses": ""}
    results = [transform(root, parameters) for root in roots]
    raw = [parse for root in results for parse in read_result(root, "http://e.org/", "")]
    outcomes = [InProcess().run(document, options) for document in documents]
    messages = [pack_outcome(outcome)[LENGTH.size :] for outcome in outcomes]
    robots = merge_robots([], documents[0])
    return {
        "step: building the tree": Task(lambda one: parse_well_formed(one, strict=False), documents),
        "step: choosing the format": Task(engine.choose, probes),
        "step: stylesheet": Task(lambda root: transform(root, parameters), roots),
        "step: reading the result": Task(lambda root: read_result(root, "http://e.org/", ""), results),
        "step: cleaning": Task(clean, raw),
        "wire: packing": Task(pack_outcome, outcomes),
        "wire: unpacking": Task(unpack_outcome, messages),
        "wire: result of an outcome": Task(lambda one: result_of(one, documents[0], robots), outcomes),
    }


def measure(tasks: dict[str, Task], n_bytes: dict[str, int]) -> list[Row]:
    """Of each task the sum of the least CPU time that each value took: other work of the machine shows least
    so."""
    least = {what: [float("inf")] * len(task.values) for what, task in tasks.items()}
    for _ in range(N_PASSES):
        for what, task in tasks.items():
            for at, value in enumerate(task.values):
                began = time.process_time()
                task.work(value)
                least[what][at] = min(least[what][at], time.process_time() - began)
    return [
        Row(what, sum(times) / len(times) * 1e6, n_bytes.get(what, n_bytes[XML]) / sum(times) / 1e6)
        for what, times in least.items()
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
    # In another process: memory here shall be like that of a child that reads XML, not of a maker of trees.
    with ProcessPoolExecutor(1) as other:
        pages, documents, prose = other.submit(make_all, chosen.pages, chosen.kb).result()
    html, xml = HtmlParser(), XmlParser(InProcess())
    tasks = {HTML: Task(html.parse, pages), XML: Task(xml.parse, documents), PROSE: Task(xml.parse, prose)}
    n_bytes = {what: sum(len(one.body) for one in task.values) for what, task in tasks.items()}
    gc.freeze()  # as workers do: what stands here for comparison is not looked through at each collection
    gc.set_threshold(20_000, 20, 20)
    # Steps afterwards: they keep trees of all documents.
    rows = measure(tasks, n_bytes) + measure(steps(documents), n_bytes)
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
