"""Stylesheets reach nothing but the document they are given."""

from __future__ import annotations

from pathlib import Path

import pytest
from lxml import etree

from hyphe_core.parsers import stylesheets
from hyphe_core.parsers.stylesheets import BadStylesheet, ForbiddenInStylesheet, Stylesheet, TransformFailed

SHEET = """<xsl:stylesheet version="1.0" xmlns:xsl="http://www.w3.org/1999/XSL/Transform"
 xmlns:str="http://exslt.org/strings" xmlns:set="http://exslt.org/sets" xmlns:dyn="http://exslt.org/dynamic"
 xmlns:re="http://exslt.org/regular-expressions" xmlns:exsl="http://exslt.org/common" xmlns:x="urn:x">
 {top}<xsl:template match="/"><out>{body}</out></xsl:template></xsl:stylesheet>"""


def compiled(body: str = "", top: str = "", folder: Path | None = None) -> Stylesheet:
    return Stylesheet(SHEET.format(body=body, top=top).encode(), folder, "mine")


def run(sheet: Stylesheet, **parameters: str) -> str:
    return "".join(sheet(etree.fromstring("<a>x</a>"), parameters).itertext())


def test_parameters_are_texts_whatever_they_hold() -> None:
    sheet = compiled('<xsl:value-of select="$p"/>', '<xsl:param name="p"/>')
    assert run(sheet, p="""it's "quoted" & <b>""") == """it's "quoted" & <b>"""


@pytest.mark.parametrize(
    "expression", ["str:concat(/a)", "count(set:distinct(/a))", "x:a = 'dyn:evaluate(1)'"]
)
def test_string_and_set_functions_are_there(expression: str) -> None:
    assert run(compiled(f'<xsl:value-of select="{expression}"/>')) in ("x", "1", "false")


@pytest.mark.parametrize(
    "body",
    [
        "<xsl:value-of select=\"dyn:evaluate('1')\"/>",
        "<xsl:value-of select=\"re:test('a', 'a')\"/>",
        "<b c=\"{re:test('a', 'a')}\"/>",
        '<xsl:if test="exsl:node-set(/) and true()"/>',
        '<xsl:document href="out.xml">x</xsl:document>',
        '<exsl:document xsl:extension-element-prefixes="exsl" href="out.xml">x</exsl:document>',
    ],
)
def test_extensions_are_refused(body: str) -> None:
    with pytest.raises(ForbiddenInStylesheet):
        compiled(body)


def test_files_are_not_read(tmp_path: Path) -> None:
    (tmp_path / "secret.xml").write_text("<s>secret</s>")
    sheet = compiled(f"<xsl:value-of select=\"document('{(tmp_path / 'secret.xml').as_uri()}')\"/>")
    with pytest.raises(TransformFailed) as raised:
        run(sheet)
    assert raised.value.denied
    assert str(tmp_path) not in str(raised.value)


def test_files_are_not_written_even_when_the_check_is_passed_by(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(stylesheets, "_refuse_forbidden", lambda root, name: None)
    target = tmp_path / "out.xml"
    source = SHEET.format(top="", body=f'<exsl:document href="{target.as_uri()}">x</exsl:document>')
    source = source.replace('version="1.0"', 'version="1.0" extension-element-prefixes="exsl"')
    sheet = Stylesheet(source.encode(), None, "mine")
    with pytest.raises(TransformFailed) as raised:
        run(sheet)
    assert raised.value.denied
    assert not target.exists()


def test_includes_stay_in_the_folder(tmp_path: Path) -> None:
    folder = tmp_path / "sheets"
    folder.mkdir()
    template = SHEET.format(top='<xsl:variable name="v" select="{}"/>', body="")
    (tmp_path / "outside.xsl").write_text(template.format(1))
    (folder / "inside.xsl").write_text(template.format(2))
    sheet = compiled('<xsl:value-of select="$v"/>', '<xsl:import href="inside.xsl"/>', folder)
    assert run(sheet) == "2"
    outside = (tmp_path / "outside.xsl").as_uri()
    for href in ("../outside.xsl", outside, outside.removeprefix("file://"), "http://e.org/x.xsl"):
        with pytest.raises(ForbiddenInStylesheet):
            compiled("", f'<xsl:include href="{href}"/>', folder)
    with pytest.raises(BadStylesheet, match="does not exist"):
        compiled("", '<xsl:include href="absent.xsl"/>', folder)


def test_what_is_included_is_checked_too(tmp_path: Path) -> None:
    (tmp_path / "inside.xsl").write_text(
        SHEET.format(top="", body="<xsl:value-of select=\"dyn:evaluate('1')\"/>")
    )
    with pytest.raises(ForbiddenInStylesheet):
        compiled("", '<xsl:include href="inside.xsl"/>', tmp_path)


def test_shipped_stylesheets_can_be_imported(tmp_path: Path) -> None:
    assert (
        run(
            compiled(
                '<xsl:value-of select="string-length($line)"/>', '<xsl:import href="parts.xsl"/>', tmp_path
            )
        )
        == "1"
    )


@pytest.mark.parametrize(
    "source",
    [
        b"<a",
        b"<xsl:stylesheet version='1.0'/>",
        b"<a/>",
        SHEET.format(top="<xsl:nonsense/>", body="").encode(),
    ],
)
def test_what_is_no_stylesheet_is_refused(source: bytes) -> None:
    with pytest.raises(BadStylesheet):
        Stylesheet(source, None, "mine")


def test_a_stylesheet_with_a_document_type_is_refused() -> None:
    with pytest.raises(ForbiddenInStylesheet):
        Stylesheet(b'<!DOCTYPE x [<!ENTITY e "y">]>' + SHEET.format(top="", body="").encode(), None, "mine")


def test_endless_recursion_ends() -> None:
    sheet = compiled(
        '<xsl:call-template name="r"/>', '<xsl:template name="r"><xsl:call-template name="r"/></xsl:template>'
    )
    with pytest.raises(TransformFailed):
        run(sheet)
