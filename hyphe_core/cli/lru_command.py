"""`hyphe lru`: how an address is cut."""

from __future__ import annotations

from typing import Annotated

import typer

from hyphe_core.cli.exit_codes import ExitCode
from hyphe_core.cli.terminal import complain, print_json, print_line
from hyphe_core.cli.url_lines import BadLine, GoodUrl, read_given, sort_lines
from memory_structure.lru import display_url, host_of, lru_to_url, split_stems
from memory_structure.prefixes import variations
from memory_structure.urls import UrlPolicy, request_url


def show_lrus(
    urls: Annotated[list[str] | None, typer.Argument(metavar="URL", show_default=False)] = None,
    from_file: Annotated[
        str | None,
        typer.Option(metavar="FILE|-", help="Read URLs from a file, one a line; - is standard input."),
    ] = None,
    keep_tracking: Annotated[
        bool, typer.Option("--keep-tracking", help="Keep tracking and session parameters in the key.")
    ] = False,
    allow_private_networks: Annotated[
        bool, typer.Option("--allow-private-networks", help="Accept hosts of a single label.")
    ] = False,
    json: Annotated[bool, typer.Option("--json", help="Print JSON.")] = False,
) -> None:
    """The LRU of each URL, with its stems, readable and fetch form, host and variations."""
    policy = UrlPolicy(drop_tracking=not keep_tracking, allow_single_label_hosts=allow_private_networks)
    given = sort_lines(read_given(urls or [], from_file), policy)
    for bad in given.bad:
        complain(bad.sentence())
    if json:
        print_json([*(_document(url, policy) for url in given.good), *map(_refusal, given.bad)])
    else:
        for url in given.good:
            _print(url, policy)
    if not given.good:
        raise typer.Exit(ExitCode.USAGE if given.bad else ExitCode.NOTHING_TO_DO)


def _document(good: GoodUrl, policy: UrlPolicy) -> dict[str, object]:
    return {
        "given": good.url,
        "lru": good.lru,
        "stems": list(split_stems(good.lru)),
        "url": lru_to_url(good.lru),
        "shown": display_url(good.lru),
        "fetch": request_url(good.url),
        "host": host_of(good.lru),
        "variations": list(variations(good.lru, policy)),
    }


def _refusal(bad: BadLine) -> dict[str, object]:
    return {"given": bad.text, "error": bad.reason, "place": bad.place}


def _print(good: GoodUrl, policy: UrlPolicy) -> None:
    print_line(good.lru)
    document = _document(good, policy)
    for name in ("stems", "url", "shown", "fetch", "host", "variations"):
        value = document[name]
        print_line(f"  {name}: {' '.join(value) if isinstance(value, list) else value}")
