"""WARC 1.1 of the bodies a corpus keeps: one response record for each attempt that kept one, by LRU then
attempt.

Bodies are as stored: content and transfer encodings were undone when they came, so no such header is
written and Content-Length counts the body. Status line and content type are those of the answer; other
headers are not kept. The same corpus gives the same bytes: record ids are made of digest, address and date.
"""

from __future__ import annotations

import uuid
from http.client import responses
from io import BytesIO
from typing import BinaryIO

from warcio.statusandheaders import StatusAndHeaders
from warcio.warcwriter import WARCWriter

from hyphe_core.exports.columns import moment_text
from hyphe_core.exports.request import ExportReport
from memory_structure.blobs import BlobStore
from memory_structure.errors import NotFound
from memory_structure.lru import lru_to_url
from memory_structure.records import Fetch
from memory_structure.structure import MemoryStructure
from memory_structure.urls import request_url

_EPOCH_DATE = "1970-01-01T00:00:00.000Z"


def write_warc(
    structure: MemoryStructure, blobs: BlobStore, stream: BinaryIO, *, compress: bool = True
) -> ExportReport:
    """Write the archive, each record compressed alone (gzip) or plain. Bodies that are named and absent are
    counted.

    The first record describes the file and bears the date of the first answer.
    """
    writer = WARCWriter(stream, gzip=compress, warc_version="WARC/1.1")
    n_written = n_missing = 0
    last_lru, url = "", ""
    for lru, fetch in structure.iter_digests():
        if lru != last_lru:
            last_lru, url = lru, _fetched_url(structure, lru)
        try:
            body = blobs.get(fetch.digest or "")
        except NotFound:
            n_missing += 1
            continue
        if not n_written:
            writer.write_record(_description(writer, _date(fetch)))
        writer.write_record(_response(writer, url, fetch, body))
        n_written += 1
    if not n_written:
        writer.write_record(_description(writer, _EPOCH_DATE))
    return ExportReport(n_rows=n_written, n_missing=n_missing)


def _date(fetch: Fetch) -> str:
    return moment_text(fetch.fetched_at) or _EPOCH_DATE


def _fetched_url(structure: MemoryStructure, lru: str) -> str:
    """The address that was asked for."""
    page = structure.find_page(lru)
    return request_url((page.raw_url if page else None) or lru_to_url(lru))


def _record_id(*parts: str) -> str:
    return f"<urn:uuid:{uuid.uuid5(uuid.NAMESPACE_URL, ' '.join(parts))}>"


def _description(writer: WARCWriter, date: str) -> object:
    lines = ("software: hyphe-crawler", "format: WARC File Format 1.1")
    text = "".join(f"{line}\r\n" for line in lines).encode()
    headers = {"WARC-Date": date, "WARC-Record-ID": _record_id("warcinfo", date)}
    return writer.create_warc_record(
        "", "warcinfo", payload=BytesIO(text), length=len(text), warc_headers_dict=headers
    )


def _response(writer: WARCWriter, url: str, fetch: Fetch, body: bytes) -> object:
    date = _date(fetch)
    headers = {"WARC-Date": date, "WARC-Record-ID": _record_id(fetch.digest or "", url, date)}
    return writer.create_warc_record(
        url,
        "response",
        payload=BytesIO(body),
        length=len(body),
        http_headers=_http_headers(fetch, len(body)),
        warc_headers_dict=headers,
    )


def _http_headers(fetch: Fetch, n_bytes: int) -> StatusAndHeaders:
    status = fetch.status or 0
    fields = [("Content-Length", str(n_bytes))]
    if fetch.content_type:
        fields.insert(0, ("Content-Type", _one_line(fetch.content_type)))
    if fetch.redirect_lru and 300 <= status < 400:
        fields.append(("Location", lru_to_url(fetch.redirect_lru)))
    return StatusAndHeaders(f"{status} {responses.get(status, 'Unknown')}", fields, protocol="HTTP/1.1")


def _one_line(text: str) -> str:
    """Header text without what would end the header."""
    return "".join(character for character in text if character.isprintable())
