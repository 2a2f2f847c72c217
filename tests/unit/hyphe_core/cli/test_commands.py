"""Commands as typed, in this process, on a real store."""

import csv
import io
import json
import os

import pytest

from hyphe_core.api.call import Caller
from hyphe_core.api.service import Service
from hyphe_core.cli import maintain_command
from hyphe_core.cli.crawl_jobs import launch_jobs
from hyphe_core.cli.maintain_command import JobName
from hyphe_core.config import load_config
from hyphe_core.crawl.foreground import prepare_crawls
from hyphe_core.maintenance import list_maintenance_jobs
from memory_structure.creation_rules import HYPHE_DEFAULT_RULES
from memory_structure.opening import open_registry
from memory_structure.records import Batch
from memory_structure.suffixes import suffix_list_version
from tests.export_cases import lru, page

# -- lru


def test_lru_shows_the_parts_of_an_address(hyphe):
    code, out, err = hyphe("lru", "http://www.Example.co.uk/a?b=1#c", "--json")
    (shown,) = json.loads(out)
    assert (code, err) == (0, "")
    assert shown["lru"] == "s:http|h:co.uk|h:example|h:www|p:a|q:b=1|"
    assert shown["stems"] == ["s:http", "h:co.uk", "h:example", "h:www", "p:a", "q:b=1"]
    assert shown["url"] == shown["fetch"] == "http://www.example.co.uk/a?b=1"
    assert shown["host"] == "www.example.co.uk"
    assert len(shown["variations"]) == 4


def test_lru_tells_bad_addresses_and_goes_on(hyphe):
    code, out, err = hyphe("lru", "mailto:x@y.z", "http://a.com")
    assert code == 0
    assert out.startswith("s:http|h:com|h:a|\n")
    assert err.startswith("hyphe: argument 1: 'mailto:x@y.z' skipped: ")
    assert hyphe("lru", "mailto:x@y.z")[0] == 2
    assert hyphe("lru")[0] == 3


# -- config


def test_config_shows_values_and_sources_and_no_secret(hyphe, monkeypatch, tmp_path):
    monkeypatch.setenv("HYPHE_ADMIN_PASSWORD", "hunter2")
    (tmp_path / "hyphe.toml").write_text("port = 81\n")
    code, out, _ = hyphe("config", "show", "--json")
    shown = {entry["name"]: (entry["value"], entry["source"]) for entry in json.loads(out)}
    assert code == 0
    assert shown["admin_password"] == ("***", "environment")
    assert shown["port"] == ("81", "file")
    assert shown["data_dir"] == (str(tmp_path / "data"), "flag")
    assert "hunter2" not in out


def test_config_check_tells_every_fault_on_a_line_of_its_own(hyphe, monkeypatch):
    monkeypatch.setenv("HYPHE_PROT", "1")
    monkeypatch.setenv("HYPHE_DELAY_SECONDS", "soon")
    code, out, err = hyphe("config", "check")
    assert (code, out) == (2, "")
    assert [line.partition(": ")[0] for line in err.splitlines()] == ["hyphe", "hyphe"]
    assert "did you mean port?" in err
    monkeypatch.undo()
    code, out, _ = hyphe("config", "check")
    assert code == 0
    assert out.startswith("settings are good")


def test_a_config_file_that_is_absent_is_told(hyphe):
    code, _, err = hyphe("config", "check", "--config", "/nowhere.toml")
    assert code == 2
    assert "there is no such file" in err


# -- corpora


def test_corpora_are_created_listed_shown_renamed_and_destroyed(hyphe):
    assert hyphe("corpus", "list")[1] == "no corpus yet\n"
    code, out, _ = hyphe("corpus", "create", "My web", "--creation-rule", "path-1", "--no-bodies")
    assert (code, out) == (0, "corpus My web created, id my-web\n")
    code, _, err = hyphe("corpus", "create", "My web")
    assert code == 2
    assert err.count("\n") == 1
    shown = json.loads(hyphe("corpus", "show", "My web", "--json")[1])
    assert shown["options"]["default_rule"] == "path-1"
    assert shown["options"]["keep_bodies"] is False
    assert shown["counters"]["n_pages"] == 0
    assert hyphe("corpus", "rename", "my-web", "Ours")[0] == 0
    assert [each["name"] for each in json.loads(hyphe("corpus", "list", "--json")[1])] == ["Ours"]
    assert "Ours" in hyphe("corpus", "list")[1]
    assert "default_rule: path-1" in hyphe("corpus", "show", "Ours")[1]
    assert hyphe("corpus", "destroy", "Ours", "--yes")[0] == 0
    assert hyphe("corpus", "show", "Ours")[0] == 2


def test_a_corpus_is_not_destroyed_without_being_asked(hyphe, corpus, monkeypatch):
    monkeypatch.setattr("sys.stdin", io.StringIO("y\n"))
    code, _, err = hyphe("corpus", "destroy", corpus)
    assert code == 2
    assert "--yes" in err
    assert hyphe("corpus", "show", corpus)[0] == 0


def test_the_proxy_of_a_corpus_is_shown_without_its_password(hyphe):
    assert hyphe("corpus", "create", "c", "--proxy", "http://me:hunter2@proxy:1")[0] == 0
    assert "hunter2" not in hyphe("corpus", "show", "c")[1]


@pytest.mark.parametrize("platform_rules", [True, False])
def test_every_way_to_make_a_corpus_gives_it_the_same_options_and_rules(
    hyphe, tmp_path, monkeypatch, platform_rules
):
    settings = {
        "PRECISION_LIMIT": "2",
        "CREATION_RULE": "Path-1",
        "PROXY": "http://p:1",
        "KEEP_TEXT": "false",
        "PLATFORM_RULES": str(platform_rules).lower(),
    }
    for name, value in settings.items():
        monkeypatch.setenv(f"HYPHE_{name}", value)
    assert hyphe("corpus", "create", "command")[0] == 0
    config = load_config(None, os.environ, {"data_dir": str(tmp_path / "data")})
    registry = open_registry(tmp_path / "data")
    prepare_crawls(registry, config, ["http://a.example/"], corpus="scrapy")
    service = Service(config, registry)
    service.answer_blocking(service.table.get("create_corpus").bind(["service"]), Caller(None))
    made = [registry.open_structure(name) for name in ("command", "scrapy", "service")]
    command, *others = (structure.options() for structure in made)
    rules, *other_rules = (structure.rules().rules for structure in made)
    registry.close()
    assert others == [command, command]
    assert other_rules == [rules, rules]
    assert {rule.prefix for rule in HYPHE_DEFAULT_RULES}.issubset(r.prefix for r in rules) is platform_rules
    assert command.suffix_list == suffix_list_version()
    assert (command.precision_limit, command.default_rule) == (2, "path-1")
    assert (command.proxy, command.keep_text) == ("http://p:1", False)


# -- export


def test_an_export_goes_to_standard_output_and_nothing_else_does(hyphe, corpus):
    code, out, err = hyphe("export", corpus, "--what", "pages", "--format", "csv")
    assert (code, err) == (0, "")
    assert len(list(csv.DictReader(io.StringIO(out)))) == 8


def test_the_format_is_what_the_file_is_called(hyphe, corpus, tmp_path):
    for name in ("n.gexf", "n.graphml", "n.csv", "n.json"):
        code, out, err = hyphe("export", corpus, "-o", str(tmp_path / name))
        assert (code, out) == (0, "")
        assert "edges" in err
    assert (tmp_path / "n.gexf").read_text().startswith("<?xml")
    assert json.loads((tmp_path / "n.json").read_text())["edges"]
    code, _, err = hyphe("export", corpus, "--what", "pages", "-o", str(tmp_path / "p.warc.gz"))
    assert code == 0
    assert err.endswith("p.warc.gz: 3 rows\n")
    assert (tmp_path / "p.warc.gz").read_bytes()[:2] == b"\x1f\x8b"


def test_kinds_of_links_are_chosen_for_an_export(hyphe, corpus):
    for what, n_lines in (("links", 2), ("page-network", 2)):
        code, out, err = hyphe("export", corpus, "--what", what, "--format", "csv", "--kinds", "head,feed")
        assert (code, err) == (0, "")
        assert len(out.splitlines()) == n_lines
        assert "style.css" in out


def test_a_status_filters_an_export(hyphe, corpus):
    arguments = (
        "export",
        corpus,
        "--what",
        "web-entities",
        "--format",
        "json",
        "--status",
        "IN",
        "--status",
        "OUT",
    )
    code, out, _ = hyphe(*arguments)
    assert code == 0
    assert [each["status"] for each in json.loads(out)] == ["IN", "OUT"]


@pytest.mark.parametrize(
    ("arguments", "code", "words"),
    [
        (("export", "none"), 2, "no corpus"),
        (("export", "exports", "--what", "pages", "--format", "gexf"), 2, "cannot be written as gexf"),
        (("export", "exports", "--what", "links", "--kinds", "redirects,feed"), 2, "did you mean redirect?"),
        (("export", "exports", "--kinds", "head"), 2, "not network"),
        (("export", "exports", "-o", "/nowhere/n.gexf"), 1, "does not exist"),
        (("export", "exports", "--what", "everything"), 2, "everything"),
        (("export", "exports", "--whta", "pages"), 2, "--what"),
        (("maintain", "tidy", "exports"), 2, "reap-jobs"),
        (("maintain", "check", "none"), 2, "no corpus"),
        (("nonsense",), 2, "nonsense"),
        (("crawl", "http://a.com"), 2, "--corpus"),
        (("crawl", "http://a.com", "--corpus", "x", "--depth", "many"), 2, "--depth"),
        (("crawl", "http://a.com", "--corpus", "x", "--per-host", "0"), 2, "per_host"),
        (("crawl", "--corpus", "x", "--from-file", "/nowhere.txt"), 2, "cannot be read"),
        (("crawl", "--corpus", "x", "no url"), 3, "no usable URL"),
        (("rules", "simulate", "exports"), 3, ""),
        (("rules", "simulate", "exports", "no url"), 2, "skipped"),
    ],
)
def test_a_fault_is_told_in_one_clear_line_with_its_code(hyphe, corpus, arguments, code, words):
    got, _, err = hyphe(*arguments)
    assert got == code
    assert words in err
    assert "Traceback" not in err
    for line in err.splitlines():
        assert line.startswith("hyphe: ")


def test_debug_shows_where_it_happened(hyphe):
    assert "Traceback" in hyphe("corpus", "show", "none", "--debug")[2]


def test_a_store_that_is_no_store_is_told(hyphe, tmp_path):
    (tmp_path / "data").write_text("a file")
    code, out, err = hyphe("corpus", "list")
    assert (code, out) == (1, "")
    assert err.count("\n") == 1


# -- rules


def test_rules_are_shown_and_simulated_by_the_one_decision(hyphe, corpus):
    code, out, _ = hyphe("rules", "show", corpus, "--json")
    assert code == 0
    assert [(rule["default"], rule["url"], rule["preset"]) for rule in json.loads(out)] == [
        (True, None, "domain"),
        (False, "http://c.example.net", "path-1"),
    ]
    urls = ("http://a.example.com/x", "http://c.example.net/y/z", "http://new.example/")
    code, out, _ = hyphe("rules", "simulate", corpus, *urls, "--json")
    assert [(each["creates"], each["prefix_url"]) for each in json.loads(out)] == [
        (False, "http://example.com"),
        (True, "http://c.example.net/y"),
        (True, "http://new.example"),
    ]
    supposed = ("--rule", "http://new.example=path-2", "--creation-rule", "subdomain")
    code, out, _ = hyphe(
        "rules", "simulate", corpus, "http://new.example/a/b/c", "http://x.y.example", *supposed
    )
    assert code == 0
    assert "http://new.example/a/b" in out
    assert "http://x.y.example" in out


# -- maintenance


def test_the_jobs_named_are_those_there_are():
    assert {job.value for job in JobName} == {job.name for job in list_maintenance_jobs()}
    assert all(job.description.endswith(".") for job in list_maintenance_jobs())


@pytest.mark.parametrize("job", list(JobName))
def test_every_job_runs_dry_and_for_real(hyphe, corpus, job):
    for extra in (("--dry-run",), ()):
        code, out, _ = hyphe("maintain", job.value, corpus, "--json", *extra)
        report = json.loads(out)
        assert code == 0
        assert (report["job"], report["dry_run"], report["findings"]) == (job.value, bool(extra), [])
        assert hyphe("maintain", job.value, corpus, *extra)[1].splitlines()[-1].startswith(job.value)


def test_a_check_that_finds_something_has_a_code_of_its_own(hyphe, corpus, tmp_path):
    registry = open_registry(tmp_path / "data")
    blobs = registry.open_blobs(corpus)
    blobs.delete(next(iter(blobs.iter_digests())))
    registry.close()
    code, out, _ = hyphe("maintain", "check", corpus)
    assert code == 5
    assert "a body that a fetch names is kept" in out


def test_twins_are_listed_as_far_as_people_read_and_all_for_machines(hyphe, corpus, tmp_path, monkeypatch):
    registry = open_registry(tmp_path / "data")
    urls = [f"{scheme}://twin.example/{n}" for scheme in ("http", "https") for n in range(3)]
    batch = Batch((page(urls[0], status=301, redirect_lru=lru(urls[3])), page(urls[3])))
    registry.open_structure(corpus).write_batch(batch)
    registry.open_structure(corpus).declare_pages(list(map(lru, urls)))
    registry.close()
    monkeypatch.setattr(maintain_command, "TWINS_SHOWN", 2)
    code, out, _ = hyphe("maintain", "report-twins", corpus)
    *table, more, summary = out.splitlines()
    assert code == 0
    assert [line.split() for line in table[1:]] == [
        ["1", "https://twin.example/0", "200"],
        ["1", "http://twin.example/0", "301", "https://twin.example/0"],
        ["2", "https://twin.example/1", "no"],
        ["2", "http://twin.example/1", "no"],
    ]
    assert "1 more" in more
    assert summary.startswith("report-twins: 3 groups of twins, 6 pages")
    groups = json.loads(hyphe("maintain", "report-twins", corpus, "--json")[1])["twins"]
    assert len(groups) == 3
    assert groups[0][1] == {
        "url": "http://twin.example/0",
        "fetched": True,
        "status": 301,
        "error": None,
        "redirect_url": "https://twin.example/0",
    }


# -- help


def test_help_and_version(hyphe):
    code, out, _ = hyphe("--help")
    assert code == 0
    assert "Exit codes" in out
    assert hyphe("--version")[1].startswith("hyphe ")
    assert hyphe()[0] == 2


# -- broken stores


def test_a_broken_corpus_is_told_hides_no_other_and_can_be_destroyed(hyphe, tmp_path):
    assert hyphe("corpus", "create", "broken")[0] == hyphe("corpus", "create", "whole")[0] == 0
    file = tmp_path / "data" / "corpora" / "broken" / "corpus.sqlite"
    file.write_bytes(b"this is no database" * 1000)
    code, out, err = hyphe("corpus", "list")
    assert code == 1
    assert "whole" in out
    assert err.startswith("hyphe: corpus broken cannot be read: ")
    assert len(err.splitlines()) == 1
    assert hyphe("corpus", "destroy", "broken", "--yes", "--for-good")[0] == 0
    assert not file.parent.exists()
    assert hyphe("corpus", "list")[0] == 0


def test_a_corpus_whose_file_is_gone_is_a_fault(hyphe, tmp_path):
    hyphe("corpus", "create", "gone")
    (tmp_path / "data" / "corpora" / "gone" / "corpus.sqlite").unlink()
    code, _, err = hyphe("corpus", "show", "gone")
    assert code == 1
    assert "lost or empty" in err


def test_no_password_of_an_address_is_kept(hyphe, tmp_path):
    url = "http://user:hunter2@a.invalid/x"
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("hyphe_core.cli.crawl_command._workers", _no_workers)
        hyphe("crawl", url, "--corpus", "c", "--workers", "0")
    for what in ("pages", "web-entities"):
        assert "hunter2" not in hyphe("export", "c", "--what", what, "--format", "json", "-o", "-")[1]
    assert not any(
        b"hunter2" in file.read_bytes() for file in (tmp_path / "data").rglob("*") if file.is_file()
    )


def _no_workers(*_):
    raise KeyboardInterrupt


def test_an_interruption_while_jobs_are_made_says_how_to_go_on(hyphe, monkeypatch):
    made = []

    def stop_at_second(*arguments):
        if made:
            raise KeyboardInterrupt
        made.append(launch_jobs(*arguments))
        return made[-1]

    monkeypatch.setattr("hyphe_core.cli.crawl_plan._ENTITIES_AT_ONCE", 1)
    monkeypatch.setattr("hyphe_core.cli.crawl_plan.launch_jobs", stop_at_second)
    code, out, err = hyphe("crawl", "http://a.invalid", "http://b.invalid", "--corpus", "c", "--workers", "0")
    assert (code, out) == (130, "")
    assert "--resume" in err


# -- log


def test_the_log_is_filtered_shown_and_kept(hyphe, corpus, tmp_path):
    registry = open_registry(tmp_path / "data")
    structure = registry.open_structure(corpus)
    job = structure.list_jobs()[0]
    structure.add_log("CRAWL_STARTED", "first line", job.job_id)
    structure.add_log("NOTE", "of the\ncorpus")
    registry.close()
    code, out, _ = hyphe("log", corpus, "--job", str(job.job_id), "--kind", "crawl_s")
    assert (code, out.count("\n")) == (0, 1)
    assert out.rstrip().endswith(f"{job.job_id}  CRAWL_STARTED  first line")
    code, out, _ = hyphe("log", corpus, "--text", "CORPUS", "--json")
    shown = json.loads(out)
    assert (shown["kind"], shown["message"], shown["job_id"]) == ("NOTE", "of the\ncorpus", None)
    assert hyphe("log", corpus, "--until", "2001-01-01")[1] == ""
    assert "first line" in hyphe("log", corpus, "--since", "2001-01-01T00:00")[1]
    code, out, err = hyphe("log", corpus, "-o", str(tmp_path / "log.txt"))
    assert (code, out) == (0, "")
    assert (tmp_path / "log.txt").read_text().count("\n") == int(err.rsplit(":", 1)[1].split()[0])


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["--job", "99"], "crawl job 99"),
        (["--entity", "99"], "web entity 99"),
        (["--job", "1", "--entity", "1"], "exclude each other"),
        (["--since", "yesterday"], "a moment such as"),
    ],
)
def test_what_the_log_cannot_show_is_told(hyphe, corpus, arguments, words):
    code, out, err = hyphe("log", corpus, *arguments)
    assert (code, out) == (2, "")
    assert words in err


def test_a_page_network_of_some_entities_is_exported(hyphe, corpus):
    code, out, _ = hyphe("export", corpus, "--what", "page-network", "--format", "csv", "--entities", "1, 2")
    assert code == 0
    whole = hyphe("export", corpus, "--what", "page-network", "--format", "csv")[1]
    assert 1 < len(out.splitlines()) < len(whole.splitlines())
    assert set(out.splitlines()) <= set(whole.splitlines())
    code, _, err = hyphe("export", corpus, "--what", "pages", "--entities", "1,99")
    assert (code, "web entity 99" in err) == (2, True)
    assert hyphe("export", corpus, "--what", "pages", "--entities", "one")[0] == 2


# -- a corpus whose id looks like an option


def test_the_id_of_hyphes_own_corpus_is_an_argument_everywhere(hyphe, tmp_path):
    assert hyphe("corpus", "create", "--hyphe--")[0] == 0
    for words in [
        ("corpus", "show", "--hyphe--"),
        ("maintain", "check", "--hyphe--", "--json"),
        ("maintain", "--dry-run", "rebuild", "--hyphe--"),
        ("log", "--hyphe--"),
        ("rules", "show", "--hyphe--"),
        ("rules", "simulate", "--hyphe--", "http://a.org/"),
        ("corpus", "backup", "--hyphe--", str(tmp_path / "saved")),
        ("corpus", "rename", "--hyphe--", "other"),
    ]:
        assert (words, hyphe(*words)[0]) == (words, 0)
    code, _, complaint = hyphe("maintain", "check", "--hyphe--", "--jsn")
    assert code == 2
    assert "--jsn" in complaint
    code, _, complaint = hyphe("corpus", "show", "--absent--")
    assert (code, "--absent--" in complaint) == (2, True)
