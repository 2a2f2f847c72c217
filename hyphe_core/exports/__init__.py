"""What leaves a corpus as files: networks, tables and archives; streamed, and the same bytes for the same
content."""

from hyphe_core.exports.output import open_output
from hyphe_core.exports.request import (
    FORMATS,
    KIND_WORDS,
    ExportReport,
    ExportRequest,
    Format,
    Subject,
    parse_kinds,
)
from hyphe_core.exports.writing import write_export

__all__ = [
    "FORMATS",
    "KIND_WORDS",
    "ExportReport",
    "ExportRequest",
    "Format",
    "Subject",
    "open_output",
    "parse_kinds",
    "write_export",
]
