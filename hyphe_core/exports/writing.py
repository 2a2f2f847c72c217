"""An export from request to bytes."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import replace
from typing import BinaryIO, TypeVar

from hyphe_core.errors import UsageFault
from hyphe_core.exports.columns import Network, Table
from hyphe_core.exports.delimited import edge_table, write_csv
from hyphe_core.exports.graph_xml import write_gexf, write_graphml
from hyphe_core.exports.json_lines import write_json_network, write_json_table
from hyphe_core.exports.pages import link_table, node_network, page_network, page_table
from hyphe_core.exports.parses import text_table, write_parses
from hyphe_core.exports.request import ExportReport, ExportRequest, Format, Subject
from hyphe_core.exports.warc import write_warc
from hyphe_core.exports.web_entities import WebEntityIndex, web_entity_network, web_entity_table
from memory_structure.blobs import BlobStore
from memory_structure.structure import MemoryStructure

# Called with how many more rows, nodes or edges went by.
Progress = Callable[[int], None]

_PROGRESS_STEP = 500
T = TypeVar("T")


def write_export(
    structure: MemoryStructure,
    request: ExportRequest,
    stream: BinaryIO,
    *,
    blobs: BlobStore | None = None,
    compress: bool = True,
    progress: Progress | None = None,
) -> ExportReport:
    """Write what is asked for to a binary stream, as it is read from the store. The same content gives the
    same bytes. WARC needs `blobs`; `compress` matters to it alone.
    """
    if request.format is Format.WARC:
        if blobs is None:
            raise UsageFault("a WARC export needs the bodies of the corpus")
        return write_warc(structure, blobs, stream, compress=compress)
    if request.format is Format.XML:
        index = WebEntityIndex(structure, request.statuses, request.entities)
        return write_parses(index, structure, stream)
    source = _followed(_open_source(structure, request), progress)
    if isinstance(source, Network):
        return _write_network(source, request, stream)
    if request.format is Format.JSON:
        return ExportReport(n_rows=write_json_table(source, stream))
    return ExportReport(n_rows=write_csv(source, stream, guard_formulas=request.guard_formulas))


def _open_source(structure: MemoryStructure, request: ExportRequest) -> Table | Network:
    index = WebEntityIndex(structure, request.statuses, request.entities)
    if request.subject is Subject.NETWORK:
        return web_entity_network(structure, index, request.statuses)
    if request.subject is Subject.WEB_ENTITIES:
        return web_entity_table(structure, index, request.statuses)
    if request.subject is Subject.PAGES:
        return page_table(index, structure.scores())
    if request.subject is Subject.TEXTS:
        return text_table(index, structure)
    if request.subject is Subject.LINKS:
        return link_table(index, request.link_kinds)
    if request.subject is Subject.PAGE_NETWORK:
        return page_network(index, request.link_kinds)
    return node_network(structure, index)


def _write_network(network: Network, request: ExportRequest, stream: BinaryIO) -> ExportReport:
    if request.format is Format.CSV:
        n_edges = write_csv(edge_table(network), stream, guard_formulas=request.guard_formulas)
        return ExportReport(n_edges=n_edges)
    writers = {Format.GEXF: write_gexf, Format.GRAPHML: write_graphml, Format.JSON: write_json_network}
    n_nodes, n_edges = writers[request.format](network, stream)
    return ExportReport(n_nodes=n_nodes, n_edges=n_edges)


def _followed(source: Table | Network, progress: Progress | None) -> Table | Network:
    if progress is None:
        return source
    if isinstance(source, Table):
        return replace(source, rows=_counted(source.rows, progress))
    return replace(source, nodes=_counted(source.nodes, progress), edges=_counted(source.edges, progress))


def _counted(stream: Iterable[T], progress: Progress) -> Iterator[T]:
    n_since = 0
    for each in stream:
        yield each
        n_since += 1
        if n_since == _PROGRESS_STEP:
            progress(n_since)
            n_since = 0
    progress(n_since)
