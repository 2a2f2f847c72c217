"""Sites and pages of the demo web, read from the text files of `sites/`.

A file is a head of `key: value` lines, then one block a page. A block opens with `--- PATH`, goes on with
`key: value` lines up to the first empty line, and the rest is its text. `nav`, `robots`, `head`, `header` and
`alias` may be repeated.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from importlib.resources import files

PAGE_MARK = "--- "
DEFAULT_TYPE = "text/html; charset={charset}"

Fields = Mapping[str, list[str]]


@dataclass(frozen=True, slots=True)
class Page:
    """One answer of a site: a path with its query, and how the server treats it.

    `content_type` may hold `{charset}`; when empty the header is left out. `location` makes it a redirect.
    """

    path: str
    title: str = ""
    body: str = ""
    status: int = 200
    content_type: str = DEFAULT_TYPE
    charset: str | None = None
    location: str | None = None
    head: tuple[str, ...] = ()
    headers: tuple[str, ...] = ()
    is_raw: bool = False
    is_cut: bool = False
    wait_seconds: float = 0.0


@dataclass(frozen=True, slots=True)
class Site:
    """One host of the demo web. `aliases` are hosts that redirect to it; `pages` goes by path and query."""

    host: str
    name: str
    language: str
    template: str
    charset: str
    footer: str
    aliases: tuple[str, ...] = ()
    navigation: tuple[tuple[str, str], ...] = ()
    robots: str | None = None
    pages: Mapping[str, Page] = field(default_factory=dict)

    @property
    def home_url(self) -> str:
        """Address of the site's front page."""
        return f"http://{self.host}/"


def read_sites() -> dict[str, Site]:
    """All sites by host, in the order of their file names."""
    folder = files(__package__) / "sites"
    names = sorted(entry.name for entry in folder.iterdir() if entry.name.endswith(".txt"))
    sites = (parse_site((folder / name).read_text(encoding="utf-8")) for name in names)
    return {site.host: site for site in sites}


def parse_site(text: str) -> Site:
    """The site that one file describes; a KeyError names the key that is missing."""
    head, *blocks = ("\n" + text).split("\n" + PAGE_MARK)
    fields = _parse_fields(head.strip().splitlines())
    pages = [_parse_page(block) for block in blocks]
    return Site(
        host=fields["site"][0],
        name=fields["name"][0],
        language=fields["lang"][0],
        template=fields["template"][0],
        charset=_first(fields, "charset") or "utf-8",
        footer=_first(fields, "footer") or "",
        aliases=tuple(fields.get("alias", ())),
        navigation=tuple(_split_entry(entry) for entry in fields.get("nav", ())),
        robots="\n".join(fields["robots"]) + "\n" if "robots" in fields else None,
        pages={page.path: page for page in pages},
    )


def _parse_page(block: str) -> Page:
    settings, _, body = block.partition("\n\n")
    path, *lines = settings.strip().splitlines()
    fields = _parse_fields(lines)
    return Page(
        path=path,
        title=_first(fields, "title") or "",
        body=body.strip("\n"),
        status=int(_first(fields, "status") or 200),
        content_type=fields.get("type", [DEFAULT_TYPE])[0],
        charset=_first(fields, "charset"),
        location=_first(fields, "to"),
        head=tuple(fields.get("head", ())),
        headers=tuple(fields.get("header", ())),
        is_raw="raw" in fields,
        is_cut="cut" in fields,
        wait_seconds=float(_first(fields, "wait") or 0),
    )


def _parse_fields(lines: Iterable[str]) -> dict[str, list[str]]:
    fields: dict[str, list[str]] = {}
    for line in lines:
        key, _, value = line.partition(":")
        fields.setdefault(key, []).append(value.strip())
    return fields


def _first(fields: Fields, key: str) -> str | None:
    return fields[key][0] if key in fields else None


def _split_entry(entry: str) -> tuple[str, str]:
    href, _, label = entry.partition(" ")
    return href, label
