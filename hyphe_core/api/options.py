"""Options of a corpus: the names clients use, and ours, to and from `CorpusOptions`.

Three families go over the wire: options both programs have under different names, options of this program
alone (same
name on both sides), and options that clients read and write but that mean nothing here: those are kept as
given.
An option of none of them is refused, with the nearest name.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import fields, replace
from typing import Any
from urllib.parse import urlsplit

from hyphe_core.api.failures import Refusal
from hyphe_core.api.json_values import JsonObject
from hyphe_core.api.parameters import Flag, Integer, Kind, ListOf, Mapping, Number, Text
from hyphe_core.config import Config
from hyphe_core.crawl.resolver import is_private_literal
from hyphe_core.errors import nearest_name
from memory_structure.corpus_records import CorpusOptions
from memory_structure.creation_rules import Preset

# What clients expect to find although nothing here depends on it.
_STORED_DEFAULTS: JsonObject = {
    "keepalive": 1800,
    "ignore_internal_links": False,
    "follow_redirects": [],
    "phantom": {
        "timeout": 600,
        "idle_timeout": 20,
        "ajax_timeout": 15,
        "whitelist_domains": [],
        "autoretry": False,
    },
    "webarchives_option": "",
    "webarchives_date": "2012-07-01",
    "webarchives_days_range": 28,
}
_STORED_KINDS: dict[str, Kind] = {
    "keepalive": Integer(0),
    "ignore_internal_links": Flag(),
    "follow_redirects": ListOf(Text()),
    "phantom": Mapping(),
    "webarchives_option": Text(),
    "webarchives_date": Text(),
    "webarchives_days_range": Integer(0),
    "depthHypheBro": Integer(0),
}
_OWN_KINDS: dict[str, Kind] = {
    "precision_limit": Integer(0, 100),
    "private_suffixes": Flag(),
    "drop_tracking": Flag(),
    "allow_private_networks": Flag(),
    "keep_bodies": Flag(),
    "keep_text": Flag(),
    "delay_seconds": Number(0, 3600),
    "user_agent": Text(max_chars=1000),
    "full_durability": Flag(),
}
_NULLABLE = frozenset({"precision_limit"})


def _rule(value: object) -> str:
    return str(Preset.parse(Text().read(value)))


def _start_modes(value: object) -> tuple[str, ...]:
    modes = ListOf(Text(max_chars=100), or_one=True).read(value)
    if not modes:
        raise ValueError("must name one start mode or more")
    return tuple(str(mode) for mode in modes)


def _proxy_url(value: object) -> str | None:
    proxy = Mapping().read(value)
    host = Text(max_chars=300).read(proxy.get("host") or "").strip()
    port = Integer(0, 65535).read(proxy.get("port") or 0)
    if not host:
        return None
    if not port or any(c in "/@? " for c in host):
        raise ValueError("must be {host, port}, with the name of a host and a port from 1 to 65535")
    return f"http://{host}:{port}"


# Wire name -> (our field, reader).
_SHARED: dict[str, tuple[str, Callable[[object], object]]] = {
    "max_depth": ("max_depth", Integer(0, 100).read),
    "obey_robots": ("obey_robots", Flag().read),
    "defaultStartpagesMode": ("start_modes", _start_modes),
    "defaultCreationRule": ("default_rule", _rule),
    "proxy": ("proxy", _proxy_url),
}


def shown_options(options: CorpusOptions) -> JsonObject:
    """All options as clients read them."""
    shown = _STORED_DEFAULTS | {name: json.loads(text) for name, text in options.extra}
    shown |= {
        "max_depth": options.max_depth,
        "obey_robots": options.obey_robots,
        "defaultStartpagesMode": list(options.start_modes),
        "defaultCreationRule": options.default_rule,
        "proxy": shown_proxy(options.proxy),
        "suffix_list": options.suffix_list,
    }
    return shown | {name: getattr(options, name) for name in _OWN_KINDS}


def shown_proxy(proxy: str | None) -> JsonObject:
    """A proxy URL as {host, port}; an empty host and port 0 for none. Credentials are left out."""
    parts = urlsplit(proxy or "")
    return {"host": parts.hostname or "", "port": parts.port or 0}


def names_own_proxy(proxy: str | None, config: Config) -> bool:
    """Whether a corpus or a client named a proxy that is not the operator's: it may not lie at a private
    address, as the operator's may."""
    return bool(proxy) and proxy != config.proxy


def refuse_private_proxy(proxy: str | None, config: Config) -> None:
    """Refuse a proxy written as a private address, unless it is the operator's. Names are judged when they
    are looked up."""
    if names_own_proxy(proxy, config) and is_private_literal(urlsplit(proxy or "").hostname or ""):
        host = shown_proxy(proxy)["host"]
        raise Refusal(f"the proxy {host} is at a private address: only the operator may choose one there")


def changed_options(options: CorpusOptions, changes: JsonObject) -> CorpusOptions:
    """The options with changes of a client applied. Refuses unknown names and values, naming every fault."""
    faults: list[str] = []
    extra = dict(options.extra)
    values: dict[str, Any] = {}
    for name, value in changes.items():
        try:
            _apply(name, value, values, extra)
        except ValueError as error:
            faults.append(f"option {name} {error}")
    if faults:
        raise Refusal("; ".join(faults))
    if "proxy" in values and shown_proxy(values["proxy"]) == shown_proxy(options.proxy):
        del values["proxy"]  # written back as shown: its scheme and credentials stay
    return replace(options, **values, extra=tuple(sorted(extra.items())))


def _apply(name: str, value: object, values: dict[str, Any], extra: dict[str, str]) -> None:
    if name in _SHARED:
        field_name, read = _SHARED[name]
        values[field_name] = read(value)
    elif name in _OWN_KINDS:
        values[name] = None if value is None and name in _NULLABLE else _OWN_KINDS[name].read(value)
    elif name in _STORED_KINDS:
        extra[name] = json.dumps(_stored(name, value), sort_keys=True)
    else:
        raise ValueError("is unknown" + nearest_name(name, [*_SHARED, *_OWN_KINDS, *_STORED_KINDS]))


def _stored(name: str, value: object) -> object:
    read = _STORED_KINDS[name].read(value)
    default = _STORED_DEFAULTS.get(name)
    # A partial object is completed, as clients expect.
    return default | read if isinstance(default, dict) and isinstance(read, dict) else read


def own_option_names() -> frozenset[str]:
    """Names of our options that go over the wire under their own name or another: every field but two."""
    return frozenset(f.name for f in fields(CorpusOptions)) - {"extra", "suffix_list"}
