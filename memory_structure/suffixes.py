"""The public suffix list, offline: the copy that ships in the pinned tldextract wheel.

A table answers one question: which trailing part of a host name is a public suffix. The list has two
sections: suffixes of registries, and private ones where each name below belongs to another actor (blog
hosts). A table holds the first, or both.
"""

from functools import cache
from importlib.metadata import version
from importlib.util import find_spec
from pathlib import Path
from typing import TypeAlias

SuffixTree: TypeAlias = dict[str, "SuffixTree"]

_PACKAGE = "tldextract"
_SNAPSHOT = ".tld_set_snapshot"
_PRIVATE_SECTION = "===BEGIN PRIVATE DOMAINS==="


class SuffixTable:
    """Public suffix rules with hosts in ASCII lower case. Immutable after construction."""

    __slots__ = ("_exceptions", "_rules", "_wildcards")

    def __init__(self, rules: tuple[str, ...]) -> None:
        ascii_rules = [_ascii_rule(rule) for rule in rules]
        self._exceptions = frozenset(r[1:] for r in ascii_rules if r.startswith("!"))
        self._wildcards = frozenset(r[2:] for r in ascii_rules if r.startswith("*."))
        self._rules = frozenset(r for r in ascii_rules if r[0] not in "!*")

    def suffix_of(self, host: str) -> str:
        """The longest public suffix of a host, which may be the whole host. An unknown last label counts
        as one."""
        rest = host
        while True:
            _, dot, parent = rest.partition(".")
            if not dot or rest in self._rules:
                return rest
            if rest in self._exceptions:
                return parent
            if parent in self._wildcards:
                return rest
            rest = parent

    def is_suffix(self, host: str) -> bool:
        """Whether the whole host is a public suffix: registrants own what lies below it, nobody owns it."""
        return self.suffix_of(host) == host

    def is_known(self, label: str) -> bool:
        """Whether a last label is in the list; new ones appear before lists are renewed, so this only
        warns."""
        return label in self._rules or label in self._wildcards


def _ascii_rule(rule: str) -> str:
    """The rule with its non-ASCII labels in punycode; the list writes them in Unicode, already normalised."""
    if rule.isascii():
        return rule
    labels = rule.split(".")
    return ".".join(x if x.isascii() else "xn--" + x.encode("punycode").decode() for x in labels)


def _snapshot_text() -> str:
    spec = find_spec(_PACKAGE)
    if spec is None or not spec.submodule_search_locations:
        raise ModuleNotFoundError(f"{_PACKAGE}, which brings the public suffix list, is not installed")
    return (Path(spec.submodule_search_locations[0]) / _SNAPSHOT).read_text("utf-8")


def _rules_in(text: str) -> tuple[str, ...]:
    lines = (line.strip() for line in text.splitlines())
    return tuple(line.split()[0] for line in lines if line and not line.startswith("//"))


@cache
def _all_rules() -> tuple[tuple[str, ...], tuple[str, ...]]:
    """(rules of registries, private rules), as written in the list."""
    registries, _, private = _snapshot_text().partition(_PRIVATE_SECTION)
    return _rules_in(registries), _rules_in(private)


def _rules(private: bool) -> tuple[str, ...]:
    registries, tenants = _all_rules()
    return registries + tenants if private else registries


@cache
def suffix_table(private: bool = True) -> SuffixTable:
    """The table, with or without the private section. Read once a process (some 10 ms)."""
    return SuffixTable(_rules(private))


def suffix_tree(private: bool = True) -> SuffixTree:
    """The list as a tree from the last label inwards: {"uk": {"co": {}}, "jp": {"*": {}}}; exceptions are
    "!label".

    Rules outside ASCII stand in both their spellings. A new tree at each call: callers may change it.
    """
    tree: SuffixTree = {}
    for rule in _rules(private):
        for spelling in {rule, _ascii_rule(rule)}:
            _plant(tree, spelling)
    return tree


def _plant(tree: SuffixTree, rule: str) -> None:
    mark, name = ("!", rule[1:]) if rule.startswith("!") else ("", rule)
    labels = name.split(".")[::-1]
    for label in labels[:-1]:
        tree = tree.setdefault(label, {})
    tree.setdefault(mark + labels[-1], {})


@cache
def suffix_list_version() -> str:
    """The list's own version mark, recorded by each corpus: "2025-04-07_15-51-09_UTC (tldextract 5.4.0)"."""
    mark = "unknown"
    for line in _snapshot_text().splitlines()[:20]:
        if line.startswith("// VERSION:"):
            mark = line.partition(":")[2].strip()
    return f"{mark} ({_PACKAGE} {version(_PACKAGE)})"
