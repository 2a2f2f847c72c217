"""Every method, by position, by name and with nulls, on a full, empty, stopped and missing corpus."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

import pytest

from hyphe_core.api.catalogue import all_methods
from hyphe_core.api.methods import CORPUS, Method, Needs
from tests.contract.hyphe_api import METHODS, result_faults
from tests.service.conftest import EMPTY, FULL, MISSING, STOPPED, make_corpora
from tests.service.service_process import Client, ServiceProcess

ONE = "s:http|h:com|h:example|h:one|"

# Arguments without the corpus that succeed on the full corpus, in an order that leaves it usable.
READING: dict[str, list[Any]] = {
    "get_corpus_options": [],
    "get_corpus_tlds": [],
    "listjobs": [[1], 0, 4_000_000_000_000, False],
    "get_webentity_jobs": [1],
    "get_webentity_logs": [1],
    "crawl.get_job_logs": [1],
    "crawl.get_job_log": [1],
    "store.get_webentity": [1],
    "store.get_webentity_by_lruprefix": ["s:http|h:com|h:example|"],
    "store.get_webentity_by_lruprefix_as_url": ["http://example.com"],
    "store.get_webentity_for_url": ["http://one.example.com/never/seen"],
    "store.get_webentity_for_url_as_lru": [ONE + "p:never|"],
    "store.get_webentities": [[1, 3], ["-status", "name"], -1, 0, False, False, False],
    "store.search_webentities": ["example", [["status", "IN OUT"]], "-indegree", 10, 0, False, True],
    "store.get_webentities_by_status": ["IN", "", 100, 0, False, True],
    "store.get_webentity_pages": [1, True],
    "store.paginate_webentity_pages": [1, 2, None, False, True, True, True],
    "store.get_webentity_mostlinked_pages": [1, 20, None],
    "store.get_webentity_pagelinks_network": [1, True],
    "store.paginate_webentity_pagelinks_network": [1, 2, None, True],
    "store.get_webentity_referrers": [1, -1, 0, True, False],
    "store.get_webentity_referrals": [1, 1, 0, True, False],
    "store.get_webentity_ego_network": [1],
    "store.get_webentities_network": [True, True],
    "store.get_webentities_stats": [],
    "store.get_default_webentity_creationrule": [],
    "store.get_webentity_creationrules": [None],
    "store.simulate_creationrules_for_urls": [["http://new.org/a", "not an address"]],
    "store.simulate_creationrules_for_lrus": [["s:http|t:80|h:org|h:new|p:|", "nonsense"]],
}
WRITING: dict[str, list[Any]] = {
    "store.trigger_links_build": [],
    "set_corpus_options": [],  # its corpus comes first; options are left at none
    "declare_page": ["http://four.org/page"],
    "declare_pages": [["http://four.org/page", "five.org"]],
    "store.declare_webentity_by_lruprefix_as_url": ["http://six.org/a", None, None, None, True, None],
    "store.declare_webentity_by_lru": [
        "s:http|h:org|h:seven|",
        "Seven",
        "IN",
        ["http://seven.org/"],
        False,
        {},
    ],
    "store.declare_webentity_by_lrus": [
        ["s:http|h:org|h:eight|"],
        "",
        "",
        ["", None],
        True,
        {"USER": {"a": "b"}},
    ],
    "store.declare_webentity_by_lrus_as_urls": [["nine.org", "http://ten.org"], "Nine", "OUT", [], True, {}],
    "store.set_webentity_status": [3, "UNDECIDED"],
    "store.set_webentities_status": [[3], "OUT"],
    "store.add_webentity_creationrule": ["s:http|h:org|h:four|", "path-1"],
    "store.delete_webentity_creationrule": ["s:http|h:org|h:four|"],
    "propose_webentity_startpages": [1, ["prefixes", "startpages"], False, False],
    "crawl_webentity": [1, 1, False, "IN", None, None, None, {}, {}],
    "crawl_webentity_with_startmode": [2, 0, False, "IN", "prefixes", None, None, None, {}, {}, True],
    "crawl.cancel": [2],
    "crawl.set_job_review_status": [1, "true"],
    "crawl.cancel_all": [],
    "cancel_webentity_jobs": [1],
}
# These are not methods on a corpus that is open, or their tests stand elsewhere.
ELSEWHERE = {
    "test_corpus", "list_corpus", "create_corpus", "start_corpus", "stop_corpus", "ping", "rename_corpus",
    "destroy_corpus", "get_status", "lookup", "lookup_httpstatus", "store.get_webentities_page",
    "store.get_webentities_ranking_stats",
}  # fmt: skip
ON_OPEN_CORPORA = [m for m in all_methods().list_methods() if m.needs is Needs.READY]
CALLS = READING | WRITING


@pytest.fixture(scope="module", params=["position", "name", "2.0"])
def style(request: pytest.FixtureRequest) -> str:
    return str(request.param)


@pytest.fixture(scope="module")
def service(tmp_path_factory: pytest.TempPathFactory, style: str) -> Iterator[ServiceProcess]:
    """A corpus for each style: the calls change it."""
    data_dir = tmp_path_factory.mktemp("service")
    make_corpora(data_dir)
    process = ServiceProcess(data_dir)
    yield process
    process.stop()


def parameters(method: Method, arguments: list[Any], corpus: str | None, style: str) -> Any:
    """Arguments with the corpus put where the method has it."""
    names = [p.name for p in method.parameters]
    values = list(arguments)
    if names.index("corpus") > len(values):
        values += [None] * (names.index("corpus") - len(values))
    values.insert(names.index("corpus"), corpus)
    return values if style == "position" else dict(zip(names, values, strict=False))


def envelope(client: Client, name: str, arguments: list[Any], corpus: str | None, style: str) -> Any:
    call = {"method": name, "params": parameters(all_methods().get(name), arguments, corpus, style)}
    if style == "2.0":
        return client.post(call | {"jsonrpc": "2.0", "id": 1})["result"]
    return client.post(call)[0]


def test_every_method_is_tried() -> None:
    known = set(CALLS) | ELSEWHERE
    assert {m.name for m in all_methods().list_methods() if not m.is_bare} == known


@pytest.mark.parametrize("name", CALLS)
def test_results_on_a_full_corpus_have_the_shape_clients_expect(
    client: Client, name: str, style: str
) -> None:
    answer = envelope(client, name, CALLS[name], FULL, style)
    assert answer["code"] == "success", answer
    assert result_faults(name, answer["result"]) == []


@pytest.mark.parametrize("name", sorted(READING))
def test_calls_on_an_empty_corpus_succeed_or_say_why_not(client: Client, name: str, style: str) -> None:
    answer = envelope(client, name, READING[name], EMPTY, style)
    if answer["code"] == "success":
        assert result_faults(name, answer["result"]) == []
    else:
        assert isinstance(answer["message"], str)
        assert answer["message"]


@pytest.mark.parametrize("name", sorted(CALLS))
@pytest.mark.parametrize(
    ("corpus", "status"), [(STOPPED, "stopped"), (MISSING, "missing"), (None, "missing")]
)
def test_calls_on_a_corpus_that_is_not_open_answer_its_state(
    client: Client, name: str, corpus: str | None, status: str, style: str
) -> None:
    answer = envelope(client, name, CALLS[name], corpus, style)
    assert answer["code"] == "fail"
    message = answer["message"]
    assert (message["corpus_id"], message["ready"], message["status"]) == (corpus, False, status)
    assert message["message"]


@pytest.mark.parametrize("name", sorted(set(READING) - {"listjobs"}))
def test_null_stands_for_each_default(client: Client, name: str, style: str) -> None:
    method = all_methods().get(name)
    with_nulls = [
        value if parameter.is_required else None
        for parameter, value in zip(
            (p for p in method.parameters if p is not CORPUS), READING[name], strict=True
        )
    ]
    answer = envelope(client, name, with_nulls, FULL, style)
    assert answer["code"] == "success", answer
    assert result_faults(name, answer["result"]) == []
    if style == "name":
        required = {p.name: v for p, v in zip(method.parameters, with_nulls, strict=False) if p.is_required}
        assert (
            client.call(name, **required, corpus=FULL) == answer["result"]
            or name == "store.get_webentities_stats"
        )


@pytest.mark.parametrize("method", ON_OPEN_CORPORA, ids=lambda m: m.name)
def test_a_required_parameter_must_be_there(client: Client, method: Method) -> None:
    required = [p.name for p in method.parameters if p.is_required]
    answer = client.post({"jsonrpc": "2.0", "method": method.name, "params": {"corpus": FULL}, "id": 1})
    assert ("error" in answer) == bool(required)
    if required:
        assert answer["error"]["code"] == -32602


@pytest.mark.parametrize("name", sorted(METHODS))
def test_parameters_have_the_names_order_and_defaults_of_hyphe(name: str) -> None:
    if name not in {m.name for m in all_methods().list_methods()}:
        return
    ours, theirs = all_methods().get(name).parameters, METHODS[name]["params"]
    assert [p.name for p in ours] == [p["name"] for p in theirs]
    for own, their in zip(ours, theirs, strict=True):
        default = their.get("default", "required")
        if own.name in {"corpus"} | _OTHER_DEFAULTS.get(name, set()):
            continue
        shown = "required" if own.is_required else json.loads(own.shown_default)
        assert shown == default, own.name


# A method on one entity needs its id; the others mean the same in another form.
_OTHER_DEFAULTS = {
    "set_corpus_options": {"options"},
    "propose_webentity_startpages": {"startmode"},
    "crawl_webentity_with_startmode": {"startmode"},
    "store.declare_webentity_by_lrus": {"status"},
    "store.get_webentity_ego_network": {"webentity_id"},
    "store.get_webentity_referrals": {"webentity_id"},
    "store.get_webentity_referrers": {"webentity_id"},
    "store.get_webentity_pagelinks_network": {"webentity_id"},
    "store.paginate_webentity_pagelinks_network": {"webentity_id"},
}
