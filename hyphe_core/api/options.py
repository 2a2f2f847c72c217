"""Options of a corpus: the names clients use, and ours, to and from `CorpusOptions`.

Three families go over the wire: options both programs have under different names, options of this program
alone (same name on both sides), and options that clients read and write but that no crawl depends on: those
are checked and kept as given. Two of these do count: hosts of `follow_redirects` become redirectors of the
corpus, and `keepalive` is when the service closes it. An option of none of the families is refused, with the
nearest name.
"""

from __future__ import annotations

import json
from dataclasses import fields, replace
from types import MappingProxyType
from typing import Any, Final
from urllib.parse import urlsplit

from hyphe_core.api.failures import Refusal
from hyphe_core.api.json_values import JsonObject
from hyphe_core.api.option_values import (
    PHANTOM,
    Reader,
    completed,
    creation_rule,
    day,
    host_aliases,
    live_web_alone,
    one_line,
    proxy_url,
    redirect_changes,
    redirecting_hosts,
    seconds,
    start_modes,
)
from hyphe_core.api.parameters import Flag, Integer, Number
from hyphe_core.api.parsing_option import parsing_option, shown_parsing
from hyphe_core.config import Config
from hyphe_core.crawl.resolver import is_private_literal
from hyphe_core.errors import nearest_name
from memory_structure.corpus_records import CorpusOptions

# What clients expect to find although no crawl depends on it.
_STORED_DEFAULTS: Final = MappingProxyType(
    {
        "keepalive": "1800",
        "ignore_internal_links": "false",
        "follow_redirects": "[]",
        "phantom": '{"timeout": 600, "idle_timeout": 20, "ajax_timeout": 15, "whitelist_domains": [],'
        ' "autoretry": false}',
        "webarchives_option": '""',
        "webarchives_date": '"2012-07-01"',
        "webarchives_days_range": "28",
    }
)
_STORED_READERS: Final[dict[str, Reader]] = {
    "keepalive": seconds,
    "ignore_internal_links": Flag().read,
    "follow_redirects": redirecting_hosts,
    "webarchives_option": live_web_alone,
    "webarchives_date": day,
    "webarchives_days_range": Integer(0, 100_000).read,
    "depthHypheBro": Integer(0, 100).read,
}
_STORED_NAMES: Final = frozenset({"phantom", *_STORED_READERS})
_OWN_READERS: Final[dict[str, Reader]] = {
    "precision_limit": lambda value: None if value is None else Integer(0, 100).read(value),
    "private_suffixes": Flag().read,
    "drop_tracking": Flag().read,
    "allow_private_networks": Flag().read,
    "keep_bodies": Flag().read,
    "keep_text": Flag().read,
    "index_text": lambda value: None if value is None else Flag().read(value),
    "delay_seconds": Number(0, 3600).read,
    "user_agent": one_line,
    "full_durability": Flag().read,
    "host_aliases": host_aliases,
    "decode_redirects": Flag().read,
    "redirects": redirect_changes,
}
# Wire name -> (our field, reader).
_SHARED: Final[dict[str, tuple[str, Reader]]] = {
    "max_depth": ("max_depth", Integer(0, 100).read),
    "obey_robots": ("obey_robots", Flag().read),
    "defaultStartpagesMode": ("start_modes", start_modes),
    "defaultCreationRule": ("default_rule", creation_rule),
}


def shown_options(options: CorpusOptions) -> JsonObject:
    """All options as clients read them."""
    shown: JsonObject = {
        name: json.loads(text) for name, text in {**_STORED_DEFAULTS, **dict(options.extra)}.items()
    }
    shown |= {
        "max_depth": options.max_depth,
        "obey_robots": options.obey_robots,
        "defaultStartpagesMode": list(options.start_modes),
        "defaultCreationRule": options.default_rule,
        "proxy": shown_proxy(options.proxy),
        "suffix_list": options.suffix_list,
        "parsing": shown_parsing(options.parsing),
    }
    return shown | {name: _as_lists(getattr(options, name)) for name in _OWN_READERS}


def keepalive_seconds(options: CorpusOptions) -> int:
    """After how many seconds without a call a corpus is closed; 0: never."""
    return int(json.loads(dict(options.extra).get("keepalive", _STORED_DEFAULTS["keepalive"])))


def _as_lists(value: object) -> object:
    """The value with lists for tuples, as JSON has them."""
    return [_as_lists(member) for member in value] if isinstance(value, tuple) else value


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
    """The options with changes of a client applied; objects given in part are completed from what they are.
    Refuses unknown names and values, naming every fault."""
    faults: list[str] = []
    extra = dict(options.extra)
    values: dict[str, Any] = {}
    for name, value in changes.items():
        try:
            if name in _STORED_NAMES:
                extra[name] = json.dumps(_stored(name, value, extra), sort_keys=True)
            else:
                values |= _own(name, value, options)
        except ValueError as error:
            faults.append(f"option {name[:100]} {error}")
    if faults:
        raise Refusal("; ".join(faults))
    return replace(options, **values, extra=tuple(sorted(extra.items())))


def _own(name: str, value: object, options: CorpusOptions) -> dict[str, Any]:
    """The field of an option that means something here, with its new value."""
    if name == "proxy":
        present = shown_proxy(options.proxy)
        proxy = proxy_url(value, present)
        # Written back as shown: its scheme and credentials stay.
        return {} if shown_proxy(proxy) == present else {"proxy": proxy}
    if name == "parsing":
        return {name: parsing_option(value, options.parsing)}
    if name in _SHARED:
        field_name, read = _SHARED[name]
        return {field_name: read(value)}
    if name in _OWN_READERS:
        return {name: _OWN_READERS[name](value)}
    raise ValueError(
        "is unknown" + nearest_name(name, ["parsing", "proxy", *_SHARED, *_OWN_READERS, *_STORED_NAMES])
    )


def _stored(name: str, value: object, extra: dict[str, str]) -> object:
    if name != "phantom":
        return _STORED_READERS[name](value)
    present = json.loads(_STORED_DEFAULTS[name]) | json.loads(extra.get(name, "{}"))
    return completed(present, PHANTOM)(value)


def own_option_names() -> frozenset[str]:
    """Names of our options that go over the wire under their own name or another: every field but two."""
    return frozenset(f.name for f in fields(CorpusOptions)) - {"extra", "suffix_list"}
