"""Normalisers of what follows the path: order of parameters, and fragments of script sites."""

from __future__ import annotations

import re
from urllib.parse import unquote_to_bytes

from hyphe_core.parsers.url_rules.addresses import HIERARCHICAL, split_address
from hyphe_core.parsers.url_rules.steps import Normalizer, Scope

HASH_BANG = "#!"
ESCAPED_FRAGMENT = "_escaped_fragment_="
_ESCAPED_IN_FRAGMENT = re.compile(rb"[\x00-\x20#%&+\x80-\xff]")


class QueryNormalizer(Normalizer):
    """Sorts the parameters of a query as strings. A URL with a query loses its user and password."""

    __slots__ = ()

    def normalize(self, url: str, scope: Scope = Scope.DEFAULT) -> str:
        """The URL with its parameters in order. Raises MalformedUrl."""
        address = split_address(url)
        if address.query is None or address.scheme not in HIERARCHICAL:
            return url
        parameters = address.query.rstrip("&").split("&")
        port = "" if address.port is None else f":{address.port}"
        query = "&".join(sorted(parameters))
        return address._replace(authority=address.host + port, query=query).text


class AjaxNormalizer(Normalizer):
    """Turns the hash-bang fragment of a script site into the query that its server answers; such a query back
    again in the scope `indexer`, so that readers see the address that works in a browser."""

    __slots__ = ()

    def normalize(self, url: str, scope: Scope = Scope.DEFAULT) -> str:
        """The URL in the form of the scope; any other URL as it is. Raises MalformedUrl."""
        if scope is Scope.INDEXER and ESCAPED_FRAGMENT in url:
            return _to_fragment(split_address(url).text)
        return _to_query(url) if HASH_BANG in url and split_address(url) else url


def _to_query(url: str) -> str:
    before, _, fragment = url.partition(HASH_BANG)
    octets = fragment.encode("utf-8", "replace")
    escaped = _ESCAPED_IN_FRAGMENT.sub(lambda match: b"%%%02X" % match[0][0], octets).decode("ascii")
    return f"{before}{'&' if '?' in before else '?'}{ESCAPED_FRAGMENT}{escaped}"


def _to_fragment(url: str) -> str:
    before, _, rest = url.partition(ESCAPED_FRAGMENT)
    escaped, ampersand, others = rest.partition("&")
    fragment = unquote_to_bytes(escaped.replace("+", " ")).decode("utf-8", "replace")
    query = before if ampersand else before.rstrip("?&")
    return f"{query}{others}{HASH_BANG}{fragment}"
