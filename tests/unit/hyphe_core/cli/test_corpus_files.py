"""Corpora in files, and corpora that end and come back, as typed."""

import io
import json

import pytest

from hyphe_core.api.passwords import matches_hash
from hyphe_core.exports import ExportRequest
from memory_structure.opening import open_registry
from memory_structure.records import WebEntityStatus
from tests.export_cases import ALL_REQUESTS, exported


def everything(tmp_path, corpus_id):
    registry = open_registry(tmp_path / "data")
    try:
        return [exported(registry, corpus_id, ExportRequest(*request)) for request in ALL_REQUESTS]
    finally:
        registry.close()


def test_a_corpus_backed_up_destroyed_and_restored_is_the_same(hyphe, corpus, tmp_path):
    expected = everything(tmp_path, corpus)
    code, out, err = hyphe("corpus", "backup", corpus, "exports.zip")
    assert (code, out) == (0, "")
    assert "records and 3 bodies in exports.zip" in err
    assert hyphe("corpus", "destroy", corpus, "--yes", "--for-good")[0] == 0
    assert hyphe("corpus", "destroyed")[1] == "no destroyed corpus\n"
    code, out, _ = hyphe("corpus", "restore", "exports.zip")
    assert (code, out) == (0, "corpus exports restored, id exports\n")
    assert everything(tmp_path, corpus) == expected
    assert hyphe("maintain", "check", corpus)[0] == 0


def test_a_backup_says_what_it_holds_and_is_restored_under_another_name(hyphe, corpus):
    code, out, _ = hyphe("corpus", "backup", corpus, "b.zip", "--json")
    told = json.loads(out)
    assert (code, told["file"], told["n_bodies"], told["n_lost_bodies"]) == (0, "b.zip", 3, 0)
    code, out, err = hyphe("corpus", "restore", "b.zip")
    assert (code, out) == (2, "")
    assert "a corpus is called 'exports' already" in err
    code, out, _ = hyphe("corpus", "restore", "b.zip", "--name", "Second", "--json")
    assert (code, json.loads(out)["corpus_id"]) == (0, "second")


def test_a_restored_corpus_may_get_a_password(hyphe, corpus, tmp_path, monkeypatch):
    registry = open_registry(tmp_path / "data")
    registry.set_password(corpus, "some hash")
    registry.close()
    hyphe("corpus", "backup", corpus, "b.zip")
    assert "it has none now" in hyphe("corpus", "restore", "b.zip", "--name", "open")[2]
    monkeypatch.setattr("sys.stdin", io.StringIO("rosebud\n"))
    assert "none now" not in hyphe("corpus", "restore", "b.zip", "--name", "closed", "--password")[2]
    registry = open_registry(tmp_path / "data")
    assert registry.get_corpus("open").password_hash == ""
    assert matches_hash("rosebud", registry.get_corpus("closed").password_hash)
    registry.close()


@pytest.mark.parametrize("content", [b"", b"not a backup", b"PK\x03\x04 but broken"])
def test_what_is_no_backup_is_told_and_leaves_nothing(hyphe, tmp_path, content):
    (tmp_path / "b.zip").write_bytes(content)
    code, out, err = hyphe("corpus", "restore", "b.zip", "--name", "x")
    assert (code, out) == (2, "")
    assert "this is no backup of a corpus" in err
    assert hyphe("corpus", "list")[1] == "no corpus yet\n"
    assert hyphe("corpus", "restore", "absent.zip")[0] == 2


def test_a_failed_backup_leaves_the_old_file(hyphe, corpus, tmp_path):
    assert hyphe("corpus", "backup", "absent", "b.zip")[0] == 2
    assert not (tmp_path / "b.zip").exists()
    assert hyphe("corpus", "backup", corpus, "no/folder/b.zip")[0] == 1


def test_a_destroyed_corpus_is_listed_and_comes_back(hyphe, corpus, tmp_path):
    expected = everything(tmp_path, corpus)
    code, out, _ = hyphe("corpus", "destroy", corpus, "--yes")
    assert (code, out) == (
        0,
        "corpus exports destroyed; within 30 days `hyphe corpus undestroy exports` brings it back\n",
    )
    (listed,) = json.loads(hyphe("corpus", "destroyed", "--json")[1])
    assert (listed["destroyed_id"], listed["name"]) == ("exports", "exports")
    assert "exports" in hyphe("corpus", "destroyed")[1]
    assert hyphe("corpus", "purge")[1] == "0 removed\n"
    assert hyphe("corpus", "undestroy", "exports")[0] == 0
    assert everything(tmp_path, corpus) == expected
    assert hyphe("corpus", "undestroy", "exports")[0] == 2
    hyphe("corpus", "destroy", corpus, "--yes")
    assert hyphe("corpus", "purge", "--all")[1].endswith("1 removed\n")
    assert hyphe("corpus", "undestroy", "exports")[0] == 2


def test_with_no_restore_period_a_corpus_is_gone_at_once(hyphe, corpus, monkeypatch):
    monkeypatch.setenv("HYPHE_RESTORE_DAYS", "0")
    out = hyphe("corpus", "destroy", corpus, "--yes", "--json")[1]
    assert "destroyed_id" not in json.loads(out)
    assert hyphe("corpus", "undestroy", corpus)[0] == 2


def test_a_reset_corpus_is_empty_and_what_it_held_comes_back(hyphe, corpus, tmp_path):
    expected = everything(tmp_path, corpus)
    assert hyphe("corpus", "reset", corpus)[0] == 2
    code, out, _ = hyphe("corpus", "reset", corpus, "--yes")
    assert (code, out.startswith("corpus exports is empty; within 30 days")) == (0, True)
    assert json.loads(hyphe("corpus", "show", corpus, "--json")[1])["counters"]["n_pages"] == 0
    assert hyphe("corpus", "undestroy", "exports")[0] == 2  # its name is in use
    assert hyphe("corpus", "undestroy", "exports", "--name", "old")[0] == 0
    assert everything(tmp_path, "old") == expected


# -- import


def test_what_was_exported_makes_the_same_web_entities(hyphe, corpus, tmp_path):
    for form in ("csv", "json"):
        hyphe("export", corpus, "--what", "web-entities", "--format", form, "-o", f"list.{form}")
        code, out, err = hyphe("corpus", "import", f"list.{form}", "--name", form, "--keep-twins")
        assert (code, err) == (0, ""), out
        registry = open_registry(tmp_path / "data")
        made, origin = (registry.open_structure(each).list_web_entities() for each in (form, corpus))
        assert [shown(entity, form) for entity in made] == [shown(entity, form) for entity in origin]
        registry.close()


def shown(entity, form):
    pages = tuple(page.url for page in entity.start_pages)
    # A table cannot tell a bar in a value from one between two.
    tags = {(n, c, part) for n, c, v in entity.tags for part in (v.split(" | ") if form == "csv" else [v])}
    # Signs that tables and XML cannot hold are replaced in exports.
    plain = "".join(c for c in entity.name if c.isalnum())
    return (plain, entity.status, entity.prefixes, entity.homepage, pages, tags, entity.note)


def test_a_list_goes_into_a_corpus_and_faults_are_told_by_line(hyphe, corpus, tmp_path):
    (tmp_path / "list.csv").write_text("url,name\nhttps://new.example,New\nmailto:x@y.z,Odd\n")
    code, out, _ = hyphe("corpus", "import", "list.csv", "--into", corpus, "--json")
    told = json.loads(out)
    assert (code, told["n_created"], told["n_refused"]) == (5, 1, 1)
    assert {line["where"] for line in told["lines"]} == {"list.csv, line 3"}
    registry = open_registry(tmp_path / "data")
    (entity,) = [e for e in registry.open_structure(corpus).list_web_entities() if e.name == "New"]
    assert (entity.status, len(entity.prefixes)) == (WebEntityStatus.IN, 4)
    registry.close()
    code, out, _ = hyphe("corpus", "import", "list.csv", "--into", corpus)
    assert "list.csv, line 2" in out
    assert "known already" in out


def test_imports_that_cannot_begin_are_told_and_leave_nothing(hyphe, tmp_path):
    (tmp_path / "list.csv").write_text("name,colour\nA,red\n")
    (tmp_path / "list.json").write_text("{")
    (tmp_path / "folder").mkdir()
    for path, words in [
        ("list.csv", "no column called prefixes or url"),
        ("list.json", "not JSON"),
        ("folder", "no backup of Hyphe"),
        ("absent", "cannot be read"),
    ]:
        code, _, err = hyphe("corpus", "import", path)
        assert (code, words in err) == (2, True), err
    assert hyphe("corpus", "list")[1] == "no corpus yet\n"


def test_no_more_corpora_are_made_than_allowed(hyphe, monkeypatch):
    monkeypatch.setenv("HYPHE_MAX_CORPORA", "1")
    assert hyphe("corpus", "create", "one")[0] == 0
    assert hyphe("corpus", "backup", "one", "one.zip")[0] == 0
    for arguments in (("create", "two"), ("restore", "one.zip", "--name", "two")):
        code, _, err = hyphe("corpus", *arguments)
        assert code == 2
        assert "no further corpus is allowed: there are 1, and the setting max_corpora is 1" in err
    monkeypatch.delenv("HYPHE_MAX_CORPORA")
    assert hyphe("corpus", "create", "two")[0] == 0
