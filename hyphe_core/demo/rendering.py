"""From a page of the demo web to the bytes of its body."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cache
from html import escape
from importlib.resources import files
from itertools import groupby
from string import Template

from hyphe_core.demo.site_files import Page, Site

_LINK = re.compile(r"\[([^\]]+)\]\(([^)\s]+)( nofollow)?\)")
_BLOCK_MARKS = {"#": "h2", "-": "li", "|": "aside", "<": "raw"}


def render_body(site: Site, page: Page) -> bytes:
    """Body of a page in the charset of the page or of its site; a PDF when its type says so."""
    charset = page.charset or site.charset
    if page.content_type == "application/pdf":
        return _render_pdf(page)
    if page.is_raw:
        return page.body.encode(charset, "xmlcharrefreplace")
    return _render_html(site, page).encode(charset, "xmlcharrefreplace")


def render_markup(text: str) -> str:
    """HTML of a text: `# heading`, `- item`, `| aside`, `<raw`, else a paragraph, with `[links](url)`."""
    return "\n".join(_iter_blocks(line for line in text.splitlines() if line.strip()))


def _iter_blocks(lines: Iterator[str]) -> Iterator[str]:
    for kind, group in groupby(lines, key=lambda line: _BLOCK_MARKS.get(line[0], "p")):
        if kind == "raw":
            yield from group
            continue
        texts = [render_links(line if kind == "p" else line[2:]) for line in group]
        if kind == "li":
            yield "<ul>" + "".join(f"<li>{text}</li>" for text in texts) + "</ul>"
        else:
            yield from (f"<{kind}>{text}</{kind}>" for text in texts)


def render_links(text: str) -> str:
    """One line with its links as HTML; everything else is escaped."""

    def replace(match: re.Match[str]) -> str:
        rel = ' rel="nofollow"' if match[3] else ""
        return f'<a href="{match[2]}"{rel}>{match[1]}</a>'

    return _LINK.sub(replace, escape(text))


def _render_html(site: Site, page: Page) -> str:
    navigation = " ".join(f'<a href="{escape(href)}">{escape(label)}</a>' for href, label in site.navigation)
    return _get_template(site.template).substitute(
        language=site.language,
        charset=page.charset or site.charset,
        title=escape(page.title),
        site=escape(site.name),
        head="\n".join(page.head),
        navigation=navigation,
        body=render_markup(page.body),
        footer=render_links(site.footer),
    )


@cache
def _get_template(name: str) -> Template:
    return Template((files(__package__) / "templates" / f"{name}.html").read_text(encoding="utf-8"))


def _render_pdf(page: Page) -> bytes:
    """A one-page PDF with the page's title and text; offsets of its table of objects are exact."""
    lines = [page.title, *page.body.splitlines()]
    drawn = " T* ".join(f"({_escape_pdf(line)}) Tj" for line in lines if line)
    stream = f"BT /F1 14 Tf 18 TL 60 760 Td {drawn} ET".encode("cp1252", "replace")
    objects = [
        b"<< /Type /Catalog /Pages 2 0 R >>",
        b"<< /Type /Pages /Kids [3 0 R] /Count 1 >>",
        b"<< /Type /Page /Parent 2 0 R /MediaBox [0 0 595 842] /Contents 4 0 R"
        b" /Resources << /Font << /F1 5 0 R >> >> >>",
        b"<< /Length %d >>\nstream\n%b\nendstream" % (len(stream), stream),
        b"<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica /Encoding /WinAnsiEncoding >>",
    ]
    return _assemble_pdf(objects)


def _assemble_pdf(objects: list[bytes]) -> bytes:
    out = bytearray(b"%PDF-1.4\n")
    offsets = []
    for number, content in enumerate(objects, start=1):
        offsets.append(len(out))
        out += b"%d 0 obj\n%b\nendobj\n" % (number, content)
    table_at = len(out)
    out += b"xref\n0 %d\n0000000000 65535 f \n" % (len(objects) + 1)
    out += b"".join(b"%010d 00000 n \n" % offset for offset in offsets)
    out += b"trailer << /Size %d /Root 1 0 R >>\nstartxref\n%d\n%%%%EOF\n" % (len(objects) + 1, table_at)
    return bytes(out)


def _escape_pdf(text: str) -> str:
    return text.replace("\\", r"\\").replace("(", r"\(").replace(")", r"\)")
