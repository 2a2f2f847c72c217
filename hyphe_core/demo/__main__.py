"""Crawls the demo web and leaves its network in ./demo-output: `python -m hyphe_core.demo`.

Everything goes through the command line that a researcher types; each command is shown before it runs.
"""

from __future__ import annotations

import os
import shlex
import shutil
import subprocess
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

from rich.console import Console
from rich.table import Table

from hyphe_core.demo.report import (
    NOT_FETCHED,
    CrawlQuality,
    count_statuses,
    list_qualities,
    list_top_edges,
    read_edges,
    read_nodes,
    read_pages,
)
from hyphe_core.demo.web import DEMO_RULES, DEMO_START_URLS
from hyphe_core.exports.picture import PictureEdge, PictureNode, draw_network_svg

OUTPUT = Path("demo-output")
CORPUS = "demo"
PICTURE = "network.svg"
TITLE = "The debate about the Valmer wind farm"
N_TOP_LINKS = 12
STOP_SECONDS = 5.0

# What is taken away: (what, format, file name).
EXPORTS = [
    ("network", "gexf", "network.gexf"),
    ("network", "csv", "network.csv"),
    ("web-entities", "csv", "web-entities.csv"),
    ("pages", "csv", "pages.csv"),
    ("links", "csv", "links.csv"),
]


def main() -> int:
    """Runs the demo; 0 when every command succeeded, else the exit code of the one that failed."""
    console = Console(highlight=False)
    data = OUTPUT / "data"
    shutil.rmtree(data, ignore_errors=True)
    OUTPUT.mkdir(exist_ok=True)
    try:
        with serve_demo_web() as port:
            run_hyphe(console, data, make_crawl_arguments(port))
        for what, file_format, name in EXPORTS:
            run_hyphe(
                console,
                data,
                ["export", CORPUS, "--what", what, "--format", file_format, "-o", str(OUTPUT / name)],
            )
    except subprocess.CalledProcessError as error:
        console.print(f"the demo stopped: that command ended with exit code {error.returncode}", style="red")
        return error.returncode
    report(console)
    return 0


@contextmanager
def serve_demo_web() -> Iterator[int]:
    """The demo web in a child process, on the port that is given; ended on leaving."""
    command = [sys.executable, "-m", "hyphe_core.demo.web", "--port", "0"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:
        try:
            assert process.stdout is not None
            yield int(process.stdout.readline())
        finally:
            process.terminate()
            try:
                process.wait(STOP_SECONDS)
            except subprocess.TimeoutExpired:
                process.kill()


def make_crawl_arguments(port: int) -> list[str]:
    """Arguments of the crawl: all start pages at once, two clicks deep, at most 30 pages an entity."""
    rules = [argument for prefix, preset in DEMO_RULES for argument in ("--rule", f"{prefix}={preset}")]
    limits = ["--depth", "2", "--max-pages-per-entity", "30", "--delay", "0", "--workers", "1"]
    proxy = ["--proxy", f"http://127.0.0.1:{port}"]
    return ["crawl", *DEMO_START_URLS, "--corpus", CORPUS, *rules, *limits, *proxy]


def run_hyphe(console: Console, data: Path, arguments: Sequence[str]) -> None:
    """Shows and runs one command; CalledProcessError when it fails."""
    shown = shlex.join(["hyphe", "--data-dir", str(data), *arguments])
    console.print(f"$ {shown}", style="bold", markup=False, soft_wrap=True)
    command = [sys.executable, "-m", "hyphe_core.cli", "--data-dir", str(data), *arguments]
    # What the libraries log at INFO would hide what the commands say.
    environment = {"HYPHE_LOG_LEVEL": "WARNING", **os.environ}
    subprocess.run(command, check=True, stdin=subprocess.DEVNULL, env=environment)


def report(console: Console) -> None:
    """Prints what the exports say, draws the picture and names the files."""
    nodes, edges = read_nodes(OUTPUT / "web-entities.csv"), read_edges(OUTPUT / "network.csv")
    (OUTPUT / PICTURE).write_text(draw_network_svg(nodes, edges, title=TITLE), encoding="utf-8")
    console.print(make_entity_table(nodes, edges))
    console.print(make_link_table(nodes, edges))
    console.print(make_quality_table(list_qualities(read_pages(OUTPUT / "pages.csv"))))
    counts = ", ".join(f"{n} {status}" for status, n in count_statuses(nodes))
    console.print(f"{len(nodes)} web entities ({counts}), {len(edges)} links between them")
    console.print("written:")
    for name in [*(name for _, _, name in EXPORTS), PICTURE]:
        console.print(f"  {OUTPUT / name}")


def make_entity_table(nodes: Sequence[PictureNode], edges: Sequence[PictureEdge]) -> Table:
    """Every web entity with its status and the number of entities that link to it, most linked first."""
    linking = {node.id: {e.source for e in edges if e.target == node.id} - {node.id} for node in nodes}
    table = Table("web entity", "status", "linked from", title="Web entities")
    for node in sorted(nodes, key=lambda node: (-len(linking[node.id]), node.id)):
        table.add_row(node.label, node.status, str(len(linking[node.id])))
    return table


def make_link_table(nodes: Sequence[PictureNode], edges: Sequence[PictureEdge]) -> Table:
    """The heaviest links between web entities."""
    labels = {node.id: node.label for node in nodes}
    table = Table("from", "to", "page links", title="Top links")
    for edge in list_top_edges(edges, N_TOP_LINKS):
        table.add_row(labels[edge.source], labels[edge.target], str(edge.weight))
    return table


def make_quality_table(qualities: Sequence[CrawlQuality]) -> Table:
    """How each crawl fared: pages by class of HTTP status, errors in words, pages known and not fetched."""
    classes = ["2xx", "3xx", "4xx", "5xx"]
    table = Table("web entity", "attempted", *classes, "errors", NOT_FETCHED, title="Quality of each crawl")
    for quality in qualities:
        others = {name: n for name, n in quality.outcomes.items() if name not in [*classes, NOT_FETCHED]}
        errors = ", ".join(f"{name} {n}" for name, n in sorted(others.items()))
        counts = [str(quality.outcomes[name] or "") for name in classes]
        not_fetched = str(quality.outcomes[NOT_FETCHED] or "")
        table.add_row(quality.web_entity, str(quality.n_fetched), *counts, errors, not_fetched)
    return table


if __name__ == "__main__":
    sys.exit(main())
