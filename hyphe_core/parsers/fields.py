"""The XPath pre-processor: fields of a document by expression, written as a small XML document.

A format with `preprocessor = "fields"` names its fields in a table, each with an XPath expression or a list
of them; what they find becomes `<fields><field name="NAME">value</field> ...</fields>`, the document that its
stylesheet transforms. Without a stylesheet of its own the shipped one is used: names of parse-out fields
(title, text, creator, date ...) fill these, `outlink` makes links, any other name is a domain field.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any, Final

from lxml import etree

from hyphe_core.errors import ConfigError
from hyphe_core.parsers.html_tree import XHTML_NAMESPACE, html_as_xml
from hyphe_core.parsers.markup import Content
from hyphe_core.parsers.well_formed import WellFormed

MAX_VALUES: Final = 10_000
_ADDRESSES: Final = ("href", "src", "{http://www.w3.org/1999/xlink}href")


class FieldExtractor:
    """The expressions of one format, compiled. `h:` stands for XHTML, also in pages that declare nothing."""

    def __init__(
        self, name: str, fields: Mapping[str, Any], namespaces: Mapping[str, str], from_html: bool
    ) -> None:
        self._from_html = from_html
        prefixes = {"h": XHTML_NAMESPACE, **namespaces}
        self._fields: list[tuple[str, etree.XPath]] = []
        faults = [] if fields else [f"format {name} has the pre-processor fields and no table of fields"]
        for field, given in fields.items():
            for expression in given if isinstance(given, list) else [given]:
                try:
                    compiled = etree.XPath(
                        str(expression), namespaces=prefixes, regexp=False, smart_strings=False
                    )
                except etree.XPathError as error:
                    faults.append(f"field {field}, {expression!r}: {error}")
                else:
                    self._fields.append((field, compiled))
        if faults:
            raise ConfigError(faults)

    def extract(self, content: Content) -> WellFormed:
        """The document of the fields, addresses in it as found. Raises NotWellFormed."""
        source = html_as_xml(content.document) if self._from_html else content.well_formed
        root = etree.Element("fields")
        for name, expression in self._fields:
            try:
                found = expression(source.root)
            except etree.XPathError:
                continue  # a function given what the document does not have
            for value in found[:MAX_VALUES] if isinstance(found, list) else [found]:
                _add(root, name, value)
        return replace(source, root=root)


def _add(root: etree._Element, name: str, value: Any) -> None:
    """One field; an element gives its text, and its address as `url`."""
    field = etree.SubElement(root, "field", name=name)
    if isinstance(value, etree._Element):
        field.text = " ".join(str(piece) for piece in value.itertext(etree.Element))
        address = next((found for key in _ADDRESSES if (found := value.get(key)) is not None), None)
        if address is not None:
            field.set("url", address)
    elif isinstance(value, bool):
        field.text = "true" if value else "false"
    elif isinstance(value, float):
        field.text = f"{value:g}"
    else:
        field.text = str(value)
