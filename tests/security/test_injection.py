"""What people type, and what files say, is data: never part of a query, a script or a command."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.security.conftest import ADMIN_PASSWORD, OPEN, log_in
from tests.service.service_process import Client

ROOT = Path(__file__).resolve().parents[2]
SOURCES = sorted(
    path
    for folder in ("hyphe_core", "memory_structure", "pipelines", "spiders")
    for path in (ROOT / folder).rglob("*.py")
)
SCRIPTS = [
    "'; return true; //",
    '"); db.dropDatabase(); ("',
    "$where",
    "{$ne: null}",
    "a.b.c",
    "$gt",
    "' OR 1=1 --",
    "%' ESCAPE '",
    '{"$regex": ".*"}',
    "__import__('os').abort()",
    "<script>alert(1)</script>",
    "=HYPERLINK(1)",
]


@pytest.mark.parametrize("script", SCRIPTS)
def test_names_tags_and_words_searched_for_are_values(client: Client, script: str) -> None:
    made = client.call(
        "store.declare_webentity_by_lrus", list_lrus=["s:http|h:org|h:tagged|"], name=script, corpus=OPEN
    )
    entity = made["id"]
    client.call("store.add_webentity_tag_value", entity, "USER", "kind", script, OPEN)
    assert client.call("store.get_tags", "USER", OPEN) == {"kind": {script: 1}}
    for words, fields, found in (
        ([], [["name", script]], [entity]),
        (["no such thing", script], [], []),
        ([], [["status", script]], None),
    ):
        answer = client.envelope(
            "store.search_webentities", allFieldsKeywords=words, fieldKeywords=fields, corpus=OPEN
        )
        if found is not None:
            assert [each["id"] for each in answer["result"]["webentities"]] == found
    client.call("store.rm_webentity_tag_value", entity, "USER", "kind", script, OPEN)
    client.call("store.delete_webentity", entity, OPEN)
    assert len(client.call("store.get_webentities", corpus=OPEN)["webentities"]) >= 1


@pytest.mark.parametrize(
    "name",
    ["../../etc/passwd", "/etc/passwd", "a/b", "..", "", "a\x00b", "~/x", "C:\\x", "http://127.0.0.1/"],
)
@pytest.mark.parametrize("method", ["corpus.backup", "corpus.restore", "corpus.import"])
def test_names_of_files_lead_nowhere_else(client: Client, method: str, name: str) -> None:
    admin = Client(client.port, {"Auth-Token": log_in(client, None, ADMIN_PASSWORD)["auth-token"]})
    values = {"file": name} | ({"corpus": OPEN} if method == "corpus.backup" else {})
    answer = admin.post({"method": method, "params": values})
    if isinstance(answer, list) and answer[0]["code"] == "success":
        assert method == "corpus.backup"
        assert name == ""  # no name: one is made
        return
    assert "passwd:" not in str(answer)
    assert "root:" not in str(answer)


def _calls(path: Path) -> Iterator[tuple[str, ast.Call]]:
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Call):
            yield ast.unparse(node.func), node


FORBIDDEN = {
    "eval", "exec", "compile", "__import__", "os.system", "os.popen", "pickle.load", "pickle.loads",
    "marshal.load", "marshal.loads", "shelve.open", "yaml.load", "subprocess.getoutput", "input",
}  # fmt: skip


@pytest.mark.parametrize("path", SOURCES, ids=[str(path.relative_to(ROOT)) for path in SOURCES])
def test_no_source_runs_text_as_code(path: Path) -> None:
    """Arguments are read as JSON, numbers and addresses; child processes get lists, never a shell's line."""
    for name, call in _calls(path):
        assert name not in FORBIDDEN, f"{path}:{call.lineno}"
        shell = next((k.value for k in call.keywords if k.arg == "shell"), None)
        assert shell is None or ast.unparse(shell) == "False", f"{path}:{call.lineno}"
        assert "$where" not in ast.unparse(call), f"{path}:{call.lineno}"
