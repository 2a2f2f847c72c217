"""Scrapy's settings: our packages come first, and an intruder is named."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[3]


def run(code: str, *, path: Path | None = None) -> subprocess.CompletedProcess[str]:
    start = f"import sys; sys.path[:0] = [{str(path)!r}]; " if path else ""
    return subprocess.run([sys.executable, "-c", start + code], capture_output=True, text=True, cwd=ROOT)


def intruder(folder: Path) -> Path:
    (folder / "spiders").mkdir()
    (folder / "spiders" / "__init__.py").write_text("NAME = 'intruder'\n")
    return folder


def test_the_project_root_goes_to_the_head_of_the_import_path(tmp_path: Path) -> None:
    done = run("import hyphe_core.settings, spiders; print(spiders.__file__)", path=intruder(tmp_path))
    assert done.returncode == 0, done.stderr
    assert Path(done.stdout.strip()).parent == ROOT / "spiders"


def test_an_intruder_that_was_imported_before_is_named(tmp_path: Path) -> None:
    done = run("import spiders, hyphe_core.settings", path=intruder(tmp_path))
    assert done.returncode != 0
    assert "other packages take the names of this project" in done.stderr
    assert str(tmp_path / "spiders") in done.stderr


def test_scrapy_knows_both_spiders() -> None:
    done = subprocess.run(
        [sys.executable, "-m", "scrapy", "list"], capture_output=True, text=True, cwd=ROOT, check=True
    )
    assert done.stdout.split() == ["web_entity", "worker"]


def test_a_faulty_configuration_is_told_in_one_message() -> None:
    code = "import os; os.environ['HYPHE_PER_HOST'] = 'many'; import hyphe_core.settings"
    done = run(code)
    assert done.returncode == 1
    assert done.stderr.startswith("the configuration has faults:")


def test_a_crawl_has_the_log_of_the_project_and_none_of_scrapys_own_words(tmp_path: Path) -> None:
    environment = {**os.environ, "HYPHE_DATA_DIR": str(tmp_path), "HYPHE_LOG_FORMAT": "json"}
    code = (
        "import logging, hyphe_core.settings;"
        "from scrapy.settings import Settings;"
        "from scrapy.utils.log import configure_logging, log_scrapy_info;"
        "settings = Settings(); settings.setmodule('hyphe_core.settings');"
        "configure_logging(settings); log_scrapy_info(settings);"
        "logging.getLogger('hyphe_core.x').info('told'); logging.getLogger('hyphe_core.x').debug('untold');"
        "logging.getLogger('scrapy.core.x').warning('told too')"
    )
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, cwd=ROOT, check=True, env=environment
    )
    assert [json.loads(line)["message"] for line in done.stderr.splitlines()] == ["told", "told too"]
