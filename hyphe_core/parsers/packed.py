"""XML in gzip: what sitemaps of large sites and dumps of feeds come as. Other packed files are not opened."""

from __future__ import annotations

import zlib
from dataclasses import replace
from typing import Final

from hyphe_core.parsers.base import Document, ParseMinor, Parser, ParseResult, failed
from hyphe_core.parsers.inflating import GZIP, BodyOverLimit, UndecodableBody, inflate
from hyphe_core.parsers.profiles import ParseProfile
from hyphe_core.parsers.robots_directives import merge_robots
from hyphe_core.parsers.well_formed import MAX_CRAWLED_BYTES
from hyphe_core.parsers.xml_parser import XmlParser
from hyphe_core.parsers.xml_root import find_root

_N_LOOKED_AT: Final = 4096


class PackedXmlParser(Parser):
    """Reads a packed document as the XML parser reads it unpacked. Of what is no XML nothing is read."""

    name = "packed-xml"
    media_types = ("application/gzip", "application/x-gzip")
    waits = True

    def __init__(self, xml: XmlParser) -> None:
        self._xml = xml

    def for_profile(self, profile: ParseProfile) -> PackedXmlParser:
        """With the XML parser of the profile."""
        return PackedXmlParser(self._xml.for_profile(profile))

    def parse(self, document: Document) -> ParseResult:
        """The result of what is inside, or an empty one."""
        if not _may_be_xml(document.body):
            return ParseResult(document.url, robots=merge_robots([], document), parser=self.name)
        try:
            body = inflate(document.body, GZIP, MAX_CRAWLED_BYTES)
        except BodyOverLimit as error:
            status = failed(ParseMinor.EXCEPTION, f"limit: {error}")
        except UndecodableBody as error:
            status = failed(ParseMinor.TRUNCATED, str(error))
        except zlib.error:
            status = failed(ParseMinor.INVALID_FORMAT, "not gzip")
        else:
            return self._xml.parse(replace(document, body=body, content_type=None))
        return ParseResult(document.url, status=status, warnings=(status.message,), parser=self.name)


def _may_be_xml(packed: bytes) -> bool:
    try:
        start = zlib.decompressobj(GZIP).decompress(packed[:_N_LOOKED_AT], _N_LOOKED_AT)
    except zlib.error:
        return False
    root = find_root(start)
    return root is not None and root.name.lower() != "html"
