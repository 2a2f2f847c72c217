"""What leaves a corpus as files: networks, tables and archives; streamed, and the same bytes for the same
content."""

from hyphe_core.exports.output import open_output
from hyphe_core.exports.request import FORMATS, ExportReport, ExportRequest, Format, Subject
from hyphe_core.exports.writing import write_export

__all__ = [
    "FORMATS",
    "ExportReport",
    "ExportRequest",
    "Format",
    "Subject",
    "open_output",
    "write_export",
]
