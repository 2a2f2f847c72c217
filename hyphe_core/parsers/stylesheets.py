"""Stylesheets as transformers: compiled once, with everything forbidden that reaches beyond the document.

A stylesheet may import others of its own folder and those of this package, by plain names. It reads no file,
writes none, fetches nothing: refused when compiled where that can be seen, else stopped when it tries. Only
string and set functions of EXSLT are there beside those of XSLT 1.0.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from importlib.resources import files
from importlib.resources.abc import Traversable
from typing import Any, Final

from lxml import etree

from hyphe_core.errors import BadAnswer, CallerFault
from hyphe_core.parsers.well_formed import scrub

XSLT_NAMESPACE: Final = "http://www.w3.org/1999/XSL/Transform"
MAX_STYLESHEET_BYTES: Final = 2**20
_ALLOWED_FUNCTIONS: Final = frozenset({"http://exslt.org/strings", "http://exslt.org/sets"})
_SCHEME: Final = "stylesheet:///"
_NAME: Final = re.compile(r"[A-Za-z0-9_-][A-Za-z0-9_.-]{0,100}")
_LITERAL: Final = re.compile(r"'[^']*'|\"[^\"]*\"")
_FUNCTION: Final = re.compile(r"(?<![\w.:-])([A-Za-z_][\w.-]*):(?!:)[A-Za-z_][\w.-]*\s*\(")
_DENY_ALL: Final[Any] = vars(etree.XSLTAccessControl)["DENY_ALL"]  # the stubs do not know it
_XSL: Final = f"{{{XSLT_NAMESPACE}}}"


class BadStylesheet(CallerFault, ValueError):
    """A stylesheet cannot be used: not well-formed, not XSLT 1.0, or including what is not there."""


class ForbiddenInStylesheet(BadStylesheet, PermissionError):
    """A stylesheet uses what it may not: an extension, a file, an address."""


class TransformFailed(BadAnswer):
    """A stylesheet failed on a document. `denied`: it tried to reach beyond the document."""

    def __init__(self, message: str, *, denied: bool = False) -> None:
        super().__init__(message)
        self.denied = denied


class Stylesheet:
    """A compiled stylesheet. Shared by all documents of a process."""

    def __init__(self, source: bytes, folder: Traversable | None, name: str) -> None:
        self.name = name
        root = _parse(source, folder, name)
        _refuse_forbidden(root, name)
        try:
            self._transform = etree.XSLT(root, access_control=_DENY_ALL, regexp=False)
        except etree.XSLTParseError as error:
            raise BadStylesheet(f"stylesheet {name}: {scrub(str(error))}") from None

    def __call__(self, root: etree._Element, parameters: Mapping[str, str]) -> etree._Element:
        """The root of the result. Raises TransformFailed."""
        quoted: dict[str, Any] = {key: etree.XSLT.strparam(value) for key, value in parameters.items()}
        try:
            result = self._transform(root, **quoted).getroot()
        except (etree.XSLTError, etree.XPathError) as error:
            message = scrub(str(error))
            raise TransformFailed(f"stylesheet {self.name}: {message}", denied="denied" in message) from None
        if result is None:
            raise TransformFailed(f"stylesheet {self.name}: no element in the result")
        return result


class _Imports(etree.Resolver):
    """Finds what a stylesheet includes: in its own folder, then in this package; everything else is refused.

    libxslt makes of an import `stylesheet:///NAME`, since the importing sheet has an address of that form.
    """

    def __init__(self, folder: Traversable | None, name: str) -> None:
        self._folders = [folder] if folder is not None else []
        self._folders.append(shipped_folder())
        self._name = name

    def resolve(  # type: ignore[override]  # the stubs do not know the context
        self, system_url: str, public_id: str, context: Any
    ) -> Any:
        """Contents of the included sheet. Raises ForbiddenInStylesheet, BadStylesheet."""
        name = system_url.removeprefix(_SCHEME)
        if not system_url.startswith(_SCHEME) or not _NAME.fullmatch(name):
            raise ForbiddenInStylesheet(f"stylesheet {self._name} includes what lies outside of its folder")
        for folder in self._folders:
            source = folder / name
            if source.is_file():
                content = source.read_bytes()
                _refuse_forbidden(etree.fromstring(content, _parser()), name)
                return self.resolve_string(content, context, base_url=system_url)
        raise BadStylesheet(f"stylesheet {self._name} includes {name}, which does not exist")


def shipped_folder() -> Traversable:
    """The formats that come with this package."""
    return files("hyphe_core.parsers") / "formats"


def _parser() -> etree.XMLParser:
    return etree.XMLParser(resolve_entities=False, no_network=True, load_dtd=False, huge_tree=False)


def _parse(source: bytes, folder: Traversable | None, name: str) -> etree._Element:
    if len(source) > MAX_STYLESHEET_BYTES:
        raise BadStylesheet(f"stylesheet {name} has more than {MAX_STYLESHEET_BYTES} bytes")
    parser = _parser()
    parser.resolvers.add(_Imports(folder, name))
    try:
        root = etree.fromstring(source, parser, base_url=f"{_SCHEME}{name}.xsl")
    except etree.XMLSyntaxError as error:
        raise BadStylesheet(f"stylesheet {name} is not well-formed: {scrub(error.msg or '')}") from None
    if root.getroottree().docinfo.internalDTD is not None:
        raise ForbiddenInStylesheet(f"stylesheet {name} has a document type")
    return root


def _refuse_forbidden(root: etree._Element, name: str) -> None:
    """Raise ForbiddenInStylesheet for extensions that can be seen: elements, functions, writing."""
    for element in root.iter(etree.Element):
        if element.get("extension-element-prefixes") or element.get(_XSL + "extension-element-prefixes"):
            raise ForbiddenInStylesheet(f"stylesheet {name}: extension elements are denied")
        if element.tag == _XSL + "document":
            raise ForbiddenInStylesheet(f"stylesheet {name}: writing documents is denied")
        for value in element.attrib.values():
            _refuse_functions(str(value), element.nsmap, name)


def _refuse_functions(expression: str, namespaces: Mapping[str | None, str], name: str) -> None:
    if ":" not in expression or "(" not in expression:
        return
    for prefix in _FUNCTION.findall(_LITERAL.sub("''", expression)):
        namespace = namespaces.get(prefix)
        if namespace is not None and namespace not in _ALLOWED_FUNCTIONS:
            raise ForbiddenInStylesheet(f"stylesheet {name}: functions of {prefix} are denied")
