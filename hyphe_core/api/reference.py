"""The reference of the API, written from the table of methods: `python -m hyphe_core.api.reference >
docs/api.md`."""

from __future__ import annotations

import sys

from hyphe_core.api.catalogue import all_methods
from hyphe_core.api.methods import Method, Needs, Role
from hyphe_core.api.parameters import Parameter

_PREFACE = """\
# The JSON-RPC API

Written by `python -m hyphe_core.api.reference`; do not edit by hand.

## Calling

Send a JSON object by POST to any path of the service, with whatever content type. Parameters go by position
or by name; the last ones may be left out, and `null` stands for a default, as does an empty text or `false`
for what is neither a text nor a flag. `corpus` left out is the corpus `--hyphe--`; `null` is no corpus. Calls
by position in the order that Hyphe's own scripts still use, older than today's, are understood as well.

    curl http://127.0.0.1:6978/ -d '{"method": "get_status", "params": ["my-corpus"]}'

| sent | answered |
| --- | --- |
| neither `id` nor `jsonrpc` | a list of one: `[{"code": "success", "result": ...}]` |
| `id` | `{"result": {"code": ...}, "error": null, "id": ...}` (JSON-RPC 1.0) |
| `"jsonrpc": "2.0"` | `{"jsonrpc": "2.0", "result": {"code": ...}, "id": ...}` |
| 2.0 without `id` | nothing, HTTP 204: a notification |
| a list of calls | a list of answers in order, all calls running at once; at most 100 |
| nothing, or an object without `method` | `[{}]` |

A call that was understood is answered with HTTP 200, whether it succeeded, `{"code": "success", "result":
...}`, or not, `{"code": "fail", "message": ...}`. The message is a text, or the state of the corpus when it
is not started. Hyphe's methods on several entities do what they can: when some fail, the failure has
`errors`, one text each, and `results`, what was done. The other methods on several entities change all of
them or none.

Moments are whole milliseconds since 1970, durations seconds. LRUs are accepted in any usual cut and
answered in the canonical one. `rpc.discover` answers an OpenRPC document: every method with the schemas of
its parameters and result.

| code | error of the protocol |
| --- | --- |
| -32700 | the body is not JSON in UTF-8 |
| -32600 | not a valid call, a batch that is empty or too long, nested too deeply, body too large (HTTP 413) |
| -32601 | no such method |
| -32602 | wrong number, name or type of parameters (8002 for clients before 1.0) |
| -32603 | an internal error; only its type is told |
| -32000 | too many calls are waiting |
| -32001 | the Host or Origin header is not accepted (HTTP 403) |

Errors before 1.0 are a bare object: `{"fault": ..., "faultCode": ..., "faultString": ...}`.

## Access

Web pages may call from the service's own origin, from loopback origins and from `allowed_origins`; the Host
header must be an address, a loopback name, the bound host, or one of `allowed_hosts`.

A corpus with a password answers callers who gave it to `start_corpus`: that answer carries a session, as a
cookie and as the header `Auth-Token`, to be sent back as either (or as `Authorization: Bearer`). The
password of readers opens it for reading, that of curators for changing it, that of the administrator (given
with `null` for the corpus) for everything. Programs use tokens (`access.create_token`). A corpus without
password is open to everyone; with `hyphe_compatible_access` every started corpus is, and every origin is
accepted.

The last columns below: what the corpus must be (any = it exists, ready = it is started), and the role that
the caller must have. What curation is made of is told in [curation](curation.md).
"""

_ROOT_TITLE = "Corpora, pages, crawls"


def reference_text() -> str:
    """The whole document."""
    methods = all_methods().list_methods()
    parts = [_PREFACE, _overview(methods)]
    for namespace in sorted({method.namespace for method in methods}):
        parts.append(f"## {namespace or _ROOT_TITLE}\n")
        parts.extend(_entry(method) for method in methods if method.namespace == namespace)
    return "\n".join(parts)


def _overview(methods: list[Method]) -> str:
    rows = [f"| `{m.name}` | {_corpus(m)} | {m.role.name.lower()} |" for m in methods]
    return "\n".join(["## Methods", "", "| method | corpus | role |", "| --- | --- | --- |", *rows, ""])


def _corpus(method: Method) -> str:
    return "" if method.needs is Needs.NONE else method.needs.value


def _entry(method: Method) -> str:
    role = "" if method.role is Role.ANYONE else f" Role: {method.role.name.lower()}."
    needs = "" if method.needs is Needs.NONE else f" Corpus: {method.needs.value}."
    lines = [f"### {method.name}", "", method.doc, "", f"Returns {method.returns}.{needs}{role}", ""]
    if method.parameters:
        lines += ["| parameter | type | default | meaning |", "| --- | --- | --- | --- |"]
        lines += [_row(parameter) for parameter in method.parameters]
        lines.append("")
    return "\n".join(lines)


def _row(parameter: Parameter) -> str:
    default = "required" if parameter.is_required else f"`{parameter.shown_default}`"
    kind = parameter.kind.label.replace("|", "\\|")
    return f"| `{parameter.name}` | {kind} | {default} | {parameter.doc} |"


if __name__ == "__main__":
    sys.stdout.write(reference_text())
