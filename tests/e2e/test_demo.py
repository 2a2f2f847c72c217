"""The demo as a user runs it: a child web, the command line, files that other programs read."""

import csv
import os
import subprocess
import sys
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import networkx
import pytest
from lxml import etree

ROOT = Path(__file__).parents[2]
pytestmark = [pytest.mark.slow, pytest.mark.timeout(300)]


@pytest.fixture(scope="module")
def output(tmp_path_factory) -> Path:
    """The folder that the demo leaves behind."""
    folder = tmp_path_factory.mktemp("demo")
    settings = {name: value for name, value in os.environ.items() if not name.startswith("HYPHE_")}
    environment = {**settings, "PYTHONPATH": str(ROOT), "COLUMNS": "160"}
    run = subprocess.run(
        [sys.executable, "-m", "hyphe_core.demo"], cwd=folder, env=environment, capture_output=True, text=True
    )
    assert run.returncode == 0, run.stdout + run.stderr
    for heading in ("Web entities", "Top links", "Quality of each crawl", "page budget of 30 reached"):
        assert heading in run.stdout
    return folder / "demo-output"


def iter_rows(path: Path) -> Iterator[dict[str, str]]:
    with path.open(encoding="utf-8", newline="") as file:
        yield from csv.DictReader(file)


@pytest.fixture(scope="module")
def pages(output) -> dict[str, dict[str, str]]:
    return {row["url"]: row for row in iter_rows(output / "pages.csv")}


def test_every_start_page_became_an_entity_and_others_were_discovered(output):
    statuses = Counter(row["status"] for row in iter_rows(output / "web-entities.csv"))
    assert statuses == {"IN": 18, "DISCOVERED": 12}


def test_other_programs_read_the_network_and_the_picture(output):
    graph = networkx.read_gexf(output / "network.gexf")
    edges = list(iter_rows(output / "network.csv"))
    assert graph.number_of_nodes() == 30
    assert graph.number_of_edges() == len(edges)
    picture = etree.parse(output / "network.svg")
    nodes = [circle for circle in picture.iter("{*}circle") if len(circle)]
    assert len(nodes) == 30


@pytest.mark.parametrize(
    ("url", "status", "error"),
    [
        ("http://www.gazette-valmer.fr/energie/article-retire", "410", ""),
        ("http://capteurs-ouverts.io/stations/phare", "500", ""),
        ("http://capteurs-ouverts.io/stations/ecole", "403", ""),
        ("http://capteurs-ouverts.io/stations/quai", "200", "truncated"),
        ("http://www.syndicat-energie-valmer.fr/interne/dossiers", "", "robots"),
        ("http://www.syndicat-energie-valmer.fr/interne/charte", "200", ""),
        ("http://www.horizon-libre.org/pieces/1", "", ""),  # behind a nofollow page
        ("http://www.horizon-libre.org/bulletins/bulletins/bulletins/", "", ""),  # beyond depth
        ("http://ferme-des-embruns.bzh", "", ""),  # another entity
        ("http://www.transition-nord.eu/boucle/encore", "302", ""),
    ],
)
def test_pages_fared_as_the_sites_are_made(pages, url, status, error):
    assert (pages[url]["status"], pages[url]["error"]) == (status, error)


def test_redirects_are_pages_with_their_target(pages):
    row = pages["http://transition-nord.eu"]
    assert (row["status"], row["redirect_url"]) == ("301", "http://www.transition-nord.eu")


def test_budget_ended_the_calendar(pages):
    town = [row for row in pages.values() if row["url"].startswith("http://www.mairie-valmer.fr")]
    assert sum(row["status"] != "" for row in town) == 30
    assert any(row["status"] == "" for row in town)


def test_session_ids_and_tracking_make_no_pages(pages):
    assert [url for url in pages if "PHPSESSID" in url or "utm_" in url or "fbclid" in url] == []


def test_accented_titles_are_read_from_latin1(pages):
    assert pages["http://www.archives-valmer.fr/%C3%A9t%C3%A9.htm"]["title"] == "Été 1911"
