"""Adapters of the groups about XML."""

from __future__ import annotations

import hashlib
import socket
import tempfile
from collections.abc import Mapping
from contextlib import closing
from pathlib import Path
from typing import Any

from hyphe_core.parsers.base import Document, ParseResult
from hyphe_core.parsers.parse_out import validate
from hyphe_core.parsers.profiles import NUTCH
from hyphe_core.parsers.stylesheets import BadStylesheet, ForbiddenInStylesheet, Stylesheet, TransformFailed
from hyphe_core.parsers.url_rules.chains import FilterChain, nutch_normalizers
from hyphe_core.parsers.url_rules.regex_filter import RegexFilter, read_regex_rules
from hyphe_core.parsers.url_rules.steps import Scope
from hyphe_core.parsers.well_formed import NotWellFormed, parse_well_formed, reencode
from hyphe_core.parsers.xml_parser import InProcess, XmlParser
from tests.vectors.cases import Adapter, Case

FEED_URL = "http://f.org/rss"
URL = "http://e.org/doc.xml"
# What the files and hosts of hostile documents are called, and what stands in the file put in their place.
SECRET_FILE, SECRET = "file:///secret.txt", "what-nobody-may-read"
HOST = "http://h/"
PARSER = XmlParser(InProcess()).for_profile(NUTCH)
NORMALIZERS = nutch_normalizers()
FEED_FIELDS = ("author", "tag", "published", "updated", "feed")
MANY_VALUED = ("author", "tag")


def told(answer: dict[str, Any], expected: Any) -> Any:
    """Of an answer what was asked for: a case names the facts that it is about."""
    if not isinstance(expected, dict):
        return answer
    return {
        key: told(answer[key], expected[key]) if isinstance(answer[key], dict) else answer[key]
        for key in expected
        if key in answer
    }


# -- encodings ----------------------------------------------------------------
def encoding(case: Case) -> Any:
    """Text of a document read strictly, its copy in UTF-8, its key; or that it is no XML."""
    given = case.given
    body = (
        bytes.fromhex(given["bytes_hex"]) if "bytes_hex" in given else given["body_latin1"].encode("latin-1")
    )
    document = Document(URL, body)
    try:
        root = parse_well_formed(document, strict=True).root
        answer = {
            "text": "".join(root.itertext()),
            "key_sha1": hashlib.sha1(body).hexdigest(),
            "stored": reencode(document).decode("utf-8"),
        }
    except NotWellFormed:
        return {"error": "xml-parse-error"}
    return told(answer, case.expected if not case.is_open else None)


# -- feeds ----------------------------------------------------------------------
def feed(case: Case) -> Any:
    """Keys of the parses of a feed, entries first; or the entry `want`ed."""
    result = PARSER.parse(
        Document(case.given.get("url", FEED_URL), case.given["xml"].encode(), "application/rss+xml")
    )
    rules = case.given.get("filter")
    filters = FilterChain((RegexFilter(read_regex_rules(rules)),) if rules else ())
    entries = _accepted(result, filters)
    canonical = case.given.get("url", FEED_URL)
    wanted = case.given.get("want", "" if entries or result.status.is_success else canonical)
    found = {**entries, canonical: result}
    answer: dict[str, Any] = {
        "keys": list(found),
        "canonical": canonical,
        "parses": len(found),
        "status": result.status.major.name.lower(),
        "minor": int(result.status.minor),
    }
    if wanted in found:
        answer |= _facts(found[wanted], filters)
    return told(answer, case.expected if not case.is_open else None)


def _accepted(result: ParseResult, filters: FilterChain) -> dict[str, ParseResult]:
    """Entries by the link that normaliser and filter leave; of two with one link the last counts."""
    found = {}
    for entry in result.parses:
        link = _accept(entry.url, filters)
        if link is not None:
            found[link] = entry
    return found


def _accept(url: str, filters: FilterChain) -> str | None:
    kept = NORMALIZERS.find_normal(url, Scope.OUTLINK)
    return kept if kept is not None and filters.accepts(kept) else None


def _facts(result: ParseResult, filters: FilterChain) -> dict[str, Any]:
    meta: dict[str, Any] = {}
    for name in FEED_FIELDS:
        values = [value for key, value in result.metadata if key == name]
        if name == "feed":
            values = [kept for value in values if (kept := _accept(value, filters)) is not None]
        if values:
            meta[name] = values if name in MANY_VALUED else values[0]
    return {
        "title": result.title,
        "text": result.text,
        "meta": meta,
        "status": result.status.major.name.lower(),
        "minor": int(result.status.minor),
        "outlinks": [{"url": link.url, "anchor": link.anchor} for link in result.links],
    }


# -- security --------------------------------------------------------------------
def security(case: Case) -> Any:
    """What a hostile document or stylesheet gets at: never a file, never the network."""
    with tempfile.TemporaryDirectory() as folder, closing(socket.create_server(("127.0.0.1", 0))) as trap:
        secret = Path(folder) / "secret.txt"
        secret.write_text(SECRET, "utf-8")
        if "xslt" in case.given:
            return told(_run_stylesheet(str(case.given["xslt"]), Path(folder)), case.expected)
        body = _hostile_body(case.given["xml"])
        body = body.replace(SECRET_FILE, secret.as_uri())
        body = body.replace(HOST, f"http://127.0.0.1:{trap.getsockname()[1]}/")
        result = PARSER.parse(Document(URL, body.encode(), "application/xml"))
        return told(_harm_of(result, trap), case.expected if not case.is_open else None)


def _hostile_body(given: Any) -> str:
    if isinstance(given, str):
        if given.lstrip().startswith("<"):
            return given
        given = {given: 10}
    if any("bomb" in kind or "laughs" in kind for kind in given):
        return _BOMB
    if any("quadratic" in kind for kind in given):
        return f'<!DOCTYPE a [<!ENTITY x "{"y" * 60_000}">]><a>{"&x;" * 100_000}</a>'
    if "nested" in given or "depth" in given:
        n_levels = given.get("nested", given.get("depth"))
        return "<a>" * n_levels + "</a>" * n_levels
    if "attributes" in given:
        return "<a " + " ".join(f'b{n}=""' for n in range(given["attributes"])) + "/>"
    if "elements" in given or "nodes" in given:
        return "<a>" + "<b/>" * (given.get("elements", given.get("nodes")) - 1) + "</a>"
    if "text" in given:
        return "<a>" + "x" * int(given["text"]) + "</a>"
    raise ValueError(f"unknown kind of document: {given}")


def _harm_of(result: ParseResult, trap: socket.socket) -> dict[str, Any]:
    trap.setblocking(False)
    try:
        trap.accept()[0].close()
        called = True
    except BlockingIOError:
        called = False
    return {
        "text": result.text,
        "status": result.status.major.name.lower(),
        "minor": int(result.status.minor),
        "file_read": SECRET in repr(result),
        "network": called,
    }


_SHEET = """<xsl:stylesheet version="1.0" xmlns:xsl="http://www.w3.org/1999/XSL/Transform"
  xmlns:exsl="http://exslt.org/common" xmlns:dyn="http://exslt.org/dynamic"
  xmlns:re="http://exslt.org/regular-expressions" xmlns:str="http://exslt.org/strings"
  xmlns:set="http://exslt.org/sets"
  xmlns:n="http://nutch.org/1.0/parse">{top}
  <xsl:template match="/"><n:parse status="success">{body}</n:parse></xsl:template></xsl:stylesheet>"""
_READING = ("", "<n:text><xsl:value-of select=\"document('{uri}')\"/></n:text>")
_BOMB = (
    '<!DOCTYPE a [<!ENTITY e0 "ha">'
    + "".join(f'<!ENTITY e{n} "{f"&e{n - 1};" * 10}">' for n in range(1, 10))
    + "]><a>&e9;</a>"
)
_STYLESHEETS = {
    ("str:", "string function"): ("", "<n:text><xsl:value-of select=\"str:padding(2, 'a')\"/></n:text>"),
    ("set:", "set function"): ("", '<n:text><xsl:value-of select="count(set:distinct(*))"/></n:text>'),
    ("include", "import"): ('<xsl:{word} href="{uri}"/>', ""),
    ("exslt document", "exsl:document"): (
        "",
        '<exsl:document xsl:extension-element-prefixes="exsl" href="{uri}.out">x</exsl:document>',
    ),
    ("xsl:document", "write", "writing"): ("", '<xsl:document href="{uri}.out">x</xsl:document>'),
    ("document(", "document function", "reading", "read"): _READING,
    ("regular", "regexp"): ("", "<n:text><xsl:value-of select=\"re:test('a', 'a')\"/></n:text>"),
    ("extension", "dyn:", "evaluate"): ("", "<n:text><xsl:value-of select=\"dyn:evaluate('1')\"/></n:text>"),
    ("recursion", "recursive", "endless", "itself"): (
        '<xsl:template name="r"><xsl:call-template name="r"/></xsl:template>',
        '<xsl:call-template name="r"/>',
    ),
}


def _run_stylesheet(told_kind: str, folder: Path) -> dict[str, Any]:
    """Make the stylesheet that the words describe (or are), run it, and look at what became of the folder."""
    kind, is_source = told_kind.lower(), told_kind.lstrip().startswith("<")
    described = ((word, *sheet) for words, sheet in _STYLESHEETS.items() for word in words if word in kind)
    found = next(described, ("read", *_READING))
    uri = (folder / "secret.txt").as_uri()
    top, body = (part.replace("{uri}", uri).replace("{word}", found[0]) for part in found[1:])
    before = sorted(folder.iterdir())
    answer: dict[str, Any] = {"error": None}
    try:
        inner = folder / "sheets"
        source = told_kind.replace(SECRET_FILE, uri) if is_source else _SHEET.format(top=top, body=body)
        sheet = Stylesheet(source.encode(), inner, "hostile")
        document = parse_well_formed(Document(URL, b"<a/>"), strict=True)
        answer["text"] = "".join(sheet(document.root, {}).itertext())
    except ForbiddenInStylesheet:
        answer["error"] = "stylesheet" if found[0] in ("include", "import") else "denied"
    except BadStylesheet:
        answer["error"] = "stylesheet"
    except TransformFailed as error:
        answer["error"] = "denied" if error.denied else "failed"
    answer["file_written"] = sorted(folder.iterdir()) != before
    answer["file_read"] = SECRET in answer.get("text", "")
    return answer


def schema(case: Case) -> Any:
    """Whether a document is valid."""
    given = case.given if isinstance(case.given, str) else case.given["xml"]
    return not validate(given.encode("utf-8"))


ADAPTERS: Mapping[str, Adapter] = {
    "xml_encoding": encoding,
    "feed": feed,
    "parse_out_schema": schema,
    "xml_security": security,
}
