"""Formats as data: a stylesheet and a TOML file beside it with the same name make a `MarkupParser`.

    title = "Recipes"                       # for people
    media_types = ["application/x-recipe+xml"]
    roots = ["recipe", "{urn:food}*"]       # {namespace}name; no braces: no namespace; * any
    condition = "/*/ingredient"             # XPath that must hold too, for roots that others use
    public_ids = ["-//FOOD//"]              # beginnings of public identifiers
    suffixes = [".recipe"]                  # of the URL's path
    priority = 50                           # among formats that match equally well
    content_type = "application/x-recipe+xml"
    preprocessor = "xml"                    # or html (an HTML5 page made a tree), or fields (see `fields`)
    dropped = ["script"]                    # elements whose content is dropped first, in any namespace
    plain_namespaces = ["urn:food"]         # beginnings of namespaces whose elements are read as if in none
    link_kind = "hyperlink"                 # of its outlinks; link_kinds = { img = "none" } by element

All keys may be absent, and so may the file when the stylesheet says them itself, as attributes of one element
`format` in the namespace FORMAT_NAMESPACE at its top level, values of lists parted by blanks.
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass, field, fields
from importlib.resources.abc import Traversable
from pathlib import Path
from typing import Any, Final

from lxml import etree

from hyphe_core.errors import ConfigError, nearest_name
from hyphe_core.parsers import feeds
from hyphe_core.parsers.base import ParseMinor
from hyphe_core.parsers.fields import FieldExtractor
from hyphe_core.parsers.html_tree import html_as_xml
from hyphe_core.parsers.markup import GENERIC, Content, MarkupParser, Match, Probe, Rank, Transformer
from hyphe_core.parsers.parse_out_cleaning import RawParse
from hyphe_core.parsers.stylesheets import BadStylesheet, Stylesheet, shipped_folder
from hyphe_core.parsers.well_formed import WellFormed
from memory_structure.records import LinkKind

FORMAT_NAMESPACE: Final = "urn:hyphe:format"
_KINDS: Final = {int: "a number", bool: "true or false", str: "a text", tuple: "a list", dict: "a table"}
_NO_LINK: Final = "none"
_FINISHERS: Final = {"": None, "feed": feeds.finish, "dates": feeds.finish_dates}
_PREPROCESSORS: Final = ("xml", "html", "fields")
_ROOT: Final = re.compile(r"(?:\{([^{}]*)\})?([^{}]+)")


@dataclass(frozen=True, slots=True)
class FormatSpec:
    """What the TOML file of a format says; see the head of this module."""

    name: str
    title: str = ""
    media_types: tuple[str, ...] = ()
    roots: tuple[str, ...] = ()
    condition: str = ""
    public_ids: tuple[str, ...] = ()
    suffixes: tuple[str, ...] = ()
    priority: int = 50
    enabled: bool = True
    content_type: str = ""
    malformed: int = ParseMinor.INVALID_FORMAT
    stylesheet: str = ""
    preprocessor: str = "xml"
    dropped: tuple[str, ...] = ()
    plain_namespaces: tuple[str, ...] = ()
    finish: str = ""
    link_kind: str = "hyperlink"
    link_kinds: dict[str, str] = field(default_factory=dict)
    source: str = "xml"
    namespaces: dict[str, str] = field(default_factory=dict)
    fields: dict[str, Any] = field(default_factory=dict)


class StylesheetFormat(MarkupParser):
    """A format read by a stylesheet. Raises ConfigError with all faults of its files."""

    def __init__(self, spec: FormatSpec, folder: Traversable) -> None:
        self.spec = spec
        self.name, self.priority, self.content_type = spec.name, spec.priority, spec.content_type
        faults = list(_list_faults(spec))
        if faults:
            raise ConfigError(faults)
        self.reads_xml = spec.preprocessor == "xml" or (
            spec.preprocessor == "fields" and spec.source == "xml"
        )
        self.malformed = ParseMinor(spec.malformed)
        self._roots = [_split_root(root) for root in spec.roots]
        self._kinds = {element: _kind(name) for element, name in spec.link_kinds.items()}
        self._kind = _kind(spec.link_kind)
        self._finish = _FINISHERS[spec.finish]
        self._condition = _compile(spec.condition, spec) if spec.condition else None
        self._fields = (
            FieldExtractor(spec.name, spec.fields, spec.namespaces, spec.source == "html")
            if spec.preprocessor == "fields"
            else None
        )
        self._transform = _load_stylesheet(spec, folder)

    def matches(self, probe: Probe) -> Match | None:
        """By root (and condition), public identifier, media type, suffix; `generic` matches anything."""
        spec = self.spec
        if probe.root and self._has_root(probe):
            return Match(Rank.ROOT, f"root element {probe.root}")
        if probe.public_id and probe.public_id.startswith(spec.public_ids):
            return Match(Rank.PUBLIC_ID, f"public identifier {probe.public_id[:100]}")
        if probe.media_type in spec.media_types:
            return Match(Rank.MEDIA_TYPE, f"media type {probe.media_type}")
        if probe.suffix and probe.suffix in spec.suffixes:
            return Match(Rank.SUFFIX, f"suffix {probe.suffix}")
        return Match(Rank.GENERIC, "no format knows it") if self.name == GENERIC else None

    def looks_at_tree(self, probe: Probe) -> bool:
        """Whether there is a condition on documents of this root."""
        return self._condition is not None and self._names_root(probe)

    def _has_root(self, probe: Probe) -> bool:
        if not self._names_root(probe):
            return False
        return self._condition is None or probe.tree is None or bool(self._condition(probe.tree))

    def _names_root(self, probe: Probe) -> bool:
        return bool(probe.root) and any(
            name in ("*", probe.root) and namespace in ("*", probe.namespace)
            for namespace, name in self._roots
        )

    def to_well_formed_xml(self, content: Content) -> WellFormed:
        """The tree by the format's pre-processor."""
        if self._fields is not None:
            return self._fields.extract(content)
        if self.spec.preprocessor == "html":
            return html_as_xml(content.document)
        well_formed = content.well_formed
        if self.spec.dropped:
            _drop_content(well_formed.root, self.spec.dropped)
        for beginning in self.spec.plain_namespaces:
            _drop_namespace(well_formed.root, beginning)
        return well_formed

    def get_transformer(self, content: Content) -> Transformer:
        """The compiled stylesheet, the same for all documents."""
        return self._transform

    def finish(self, parses: list[RawParse], content: Content) -> list[RawParse]:
        """The parses after the finisher that the format names."""
        return self._finish(parses, content) if self._finish is not None else parses

    def link_kind(self, element: str) -> LinkKind | None:
        """By the name of the element, else that of the format."""
        return self._kinds.get(element, self._kind)


def _drop_content(root: etree._Element, names: tuple[str, ...]) -> None:
    """Empty all elements of these names, whatever their namespace; their attributes stay."""
    for element in list(root.iter([f"{{*}}{name}" for name in names])):
        element.text = None
        del element[:]


def _drop_namespace(root: etree._Element, beginning: str) -> None:
    """Put the elements of all namespaces with this beginning into none."""
    found = root.xpath("descendant-or-self::*[starts-with(namespace-uri(), $beginning)]", beginning=beginning)
    for element in found if isinstance(found, list) else ():
        if isinstance(element, etree._Element):
            with suppress(ValueError):  # recovery leaves names that are none
                element.tag = etree.QName(element).localname


def shipped_formats() -> list[StylesheetFormat]:
    """The formats of this package."""
    shipped = load_formats(shipped_folder())
    for each in shipped:
        each.is_shipped = True
    return shipped


def load_formats(folder: Traversable | Path) -> list[StylesheetFormat]:
    """The enabled formats of a folder, by name. Raises ConfigError with the faults of all of them."""
    found, faults = [], []
    for name in _list_names(folder):
        try:
            spec = _read_spec(folder, name)
            if spec is not None and spec.enabled:
                found.append(StylesheetFormat(spec, folder))
        except ConfigError as error:
            faults += [f"format {name}: {fault}" for fault in error.faults]
        except BadStylesheet as error:
            faults.append(f"format {name}: {error}")
    if faults:
        raise ConfigError(faults)
    return found


def load_stylesheet(file: Path) -> StylesheetFormat:
    """The format of one stylesheet, or of a TOML file, whatever else lies beside it; nothing needs to say
    what it is for. Raises ConfigError."""
    name = file.name.rpartition(".")[0] or file.name
    try:
        if file.suffix in (".toml", ".xsl"):
            return StylesheetFormat(_read_spec(file.parent, name) or FormatSpec(name), file.parent)
        given = _find_embedded(file.read_bytes()) or {}
        return StylesheetFormat(_spec_of(name, {**given, "stylesheet": file.name}), file.parent)
    except (BadStylesheet, OSError) as error:
        raise ConfigError([f"stylesheet {file.name}: {error}"]) from None


def shipped_specs() -> list[FormatSpec]:
    """What the formats of this package say of themselves; no stylesheet is compiled."""
    folder = shipped_folder()
    return [spec for name in _list_names(folder) if (spec := _read_spec(folder, name)) is not None]


def _list_names(folder: Traversable | Path) -> list[str]:
    if not folder.is_dir():
        raise ConfigError(["the folder of stylesheets does not exist"])
    names = {entry.name for entry in folder.iterdir() if entry.name.endswith((".toml", ".xsl"))}
    return sorted({name.rpartition(".")[0] for name in names})


def _read_spec(folder: Traversable | Path, name: str) -> FormatSpec | None:
    """The description of a format; None for a stylesheet without, which is only there to be imported."""
    description, sheet = folder / f"{name}.toml", folder / f"{name}.xsl"
    if description.is_file():
        try:
            given = tomllib.loads(description.read_text("utf-8"))
        except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
            raise ConfigError([f"its TOML cannot be read: {error}"]) from None
    else:
        embedded = _find_embedded(sheet.read_bytes())
        if embedded is None:
            return None
        given = embedded
    return _spec_of(name, given)


def _find_embedded(source: bytes) -> dict[str, Any] | None:
    try:
        root = etree.fromstring(
            source, etree.XMLParser(resolve_entities=False, no_network=True, load_dtd=False)
        )
    except etree.XMLSyntaxError:
        raise ConfigError(["its stylesheet is not well-formed"]) from None
    element = root.find(f"{{{FORMAT_NAMESPACE}}}format")
    if element is None:
        return None
    given: dict[str, Any] = {str(key): value for key, value in element.attrib.items()}
    for key in given.keys() & {
        "media_types",
        "roots",
        "public_ids",
        "suffixes",
        "dropped",
        "plain_namespaces",
    }:
        given[key] = given[key].split()
    if given.get("priority", "").isdigit():
        given["priority"] = int(given["priority"])
    return given


def _spec_of(name: str, given: dict[str, Any]) -> FormatSpec:
    """The typed description. Raises ConfigError."""
    known = {each.name: each for each in fields(FormatSpec)}
    faults = [f"unknown key {key}{nearest_name(key, known)}" for key in given.keys() - known.keys()]
    values: dict[str, Any] = {"name": name}
    for key, value in given.items():
        values[key] = tuple(value) if isinstance(value, list) else value
        wanted = _kind_of_value(known[key].type if key in known else "")
        if key in known and not isinstance(values[key], wanted):
            faults.append(f"{key} is {value!r}, not {_KINDS.get(wanted, wanted.__name__)}")
    if faults:
        raise ConfigError(sorted(faults))
    return FormatSpec(**values)


def _kind_of_value(annotation: Any) -> type:
    kinds: dict[str, type] = {"int": int, "bool": bool, "str": str}
    name = str(annotation)
    return kinds.get(name) or (
        tuple if name.startswith("tuple") else dict if name.startswith("dict") else object
    )


def _list_faults(spec: FormatSpec) -> Iterator[str]:
    for key, value, accepted in (
        ("preprocessor", spec.preprocessor, _PREPROCESSORS),
        ("finish", spec.finish, tuple(_FINISHERS)),
        ("source", spec.source, ("xml", "html")),
        *(("link_kind", kind, _kind_names()) for kind in (spec.link_kind, *spec.link_kinds.values())),
    ):
        if value not in accepted:
            yield f"{key} is {value!r}{nearest_name(value, accepted)}"
    if spec.malformed not in list(ParseMinor):
        yield f"malformed is {spec.malformed}, which is no minor status"


def _kind_names() -> tuple[str, ...]:
    return (_NO_LINK, *(kind.name.lower() for kind in LinkKind))


def _kind(name: str) -> LinkKind | None:
    return None if name == _NO_LINK else LinkKind[name.upper()]


def _split_root(root: str) -> tuple[str, str]:
    found = _ROOT.fullmatch(root)
    if found is None:
        raise ConfigError([f"roots: {root!r} is no name"])
    return found[1] or "", found[2]


def _compile(expression: str, spec: FormatSpec) -> etree.XPath:
    try:
        return etree.XPath(expression, namespaces=spec.namespaces, regexp=False)
    except etree.XPathError as error:
        raise ConfigError([f"condition {expression!r}: {error}"]) from None


def _load_stylesheet(spec: FormatSpec, folder: Traversable | Path) -> Stylesheet:
    named = spec.stylesheet or f"{spec.name}.xsl"
    source = folder / named
    if not source.is_file() and not spec.stylesheet and spec.preprocessor == "fields":
        source = shipped_folder() / "fields.xsl"
    if "/" in named or not source.is_file():
        raise BadStylesheet(f"its stylesheet {named} is not there")
    return Stylesheet(source.read_bytes(), folder, spec.name)
