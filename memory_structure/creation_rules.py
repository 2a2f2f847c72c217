"""Creation rules: where the web is cut into web entities. `RuleSet.decide` is the one decision for a page.

A rule is a preset anchored at an LRU prefix, or the default rule (prefix ""). Indexing, simulation and
re-application all ask `decide`; nothing else creates entities by rule.
"""

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path
from types import MappingProxyType
from typing import Final

from memory_structure.errors import InvalidValue
from memory_structure.lru import entity_prefix, head_of, host_of, split_stems, url_to_lru
from memory_structure.prefixes import PrefixMap, variations
from memory_structure.suffixes import suffix_table
from memory_structure.urls import DEFAULT_POLICY, UrlPolicy

_PRESET: Final = re.compile(
    r"(domain|subdomain|page)|(?:(subdomain|path)-|(prefix)\+)([1-9][0-9]{0,2})", re.IGNORECASE
)
_SCHEME_AND_PORT: Final = r"s:[a-zA-Z]+\|(t:[0-9]+\|)?"
_LABEL: Final = r"h:[^\|]+\|"
_SEGMENT: Final = r"p:[^\|]+\|"
_SPECIAL: Final = r"h:(localhost|(\d{1,3}\.){3}\d{1,3}|\[[\da-f]*:[\da-f:]*\])\|"


class PresetKind(StrEnum):
    """How a preset measures the prefix it gives."""

    DOMAIN = "domain"
    SUBDOMAIN = "subdomain"
    SUBDOMAIN_N = "subdomain-"
    PATH_N = "path-"
    PAGE = "page"
    PREFIX_N = "prefix+"


@dataclass(frozen=True, slots=True)
class Preset:
    """A way to cut an LRU into the prefix of its entity. `n` is 0 for the kinds without a number.

    domain: public suffix and one label. subdomain: the whole host. subdomain-N: suffix and N+1 labels.
    path-N: the host and N path segments. page: the whole LRU. prefix+N: N stems more than the rule's prefix.
    """

    kind: PresetKind
    n: int = 0

    @classmethod
    def parse(cls, name: str) -> "Preset":
        """The preset of that name, in any case ("Subdomain-2", "PREFIX+1"). Raises InvalidValue, a
        ValueError."""
        match = _PRESET.fullmatch(name.strip())
        if not match:
            raise InvalidValue(
                f"unknown creation rule {name!r}: there are domain, subdomain, subdomain-N, path-N, page and "
                "prefix+N, with N from 1 to 999"
            )
        plain, dashed, plus, number = match.groups()
        if plain:
            return cls(PresetKind(plain.lower()))
        return cls(PresetKind(f"{dashed.lower()}-" if dashed else f"{plus.lower()}+"), int(number))

    def __str__(self) -> str:
        return f"{self.kind.value}{self.n}" if self.n else self.kind.value

    def apply(self, lru: str, rule_prefix: str) -> str | None:
        """The prefix this preset gives for a page: a prefix of the LRU, at least its registered domain.

        What is missing is done without: too few path segments give the deepest there is, then the host; too
        few host labels the whole host. Empty path segments end a path. None only when the LRU has no host.
        """
        head = head_of(lru)
        if not head:
            return None
        if self.kind is PresetKind.PAGE:
            return entity_prefix(lru)
        if self.kind is PresetKind.PATH_N:
            return _extended(lru, head, self.n, "p:")
        if self.kind is PresetKind.SUBDOMAIN:
            return head
        if self.kind is PresetKind.PREFIX_N:
            start = rule_prefix or head
            given = _extended(lru, start, self.n) if lru.startswith(start) else head
            return max(given, _with_labels(head, 2), key=len)
        return _with_labels(head, 2 if self.kind is PresetKind.DOMAIN else self.n + 2)

    def regexp(self, rule_prefix: str = "") -> str:
        """The pattern Hyphe's clients show for this preset. For reading only: `apply` decides."""
        if self.kind is PresetKind.PAGE:
            return "(.*)$"
        if self.kind is PresetKind.PREFIX_N:
            n_stems = max(len(split_stems(rule_prefix)), 1)
            return rf"(s:[a-zA-Z]+\|([thpqf]:[^\|]+\|){{{n_stems + self.n - 1}}})"
        labels = {
            PresetKind.DOMAIN: f"{_LABEL}({_LABEL})",
            PresetKind.SUBDOMAIN_N: f"{_LABEL}({_LABEL}){{{self.n + 1}}}",
        }.get(self.kind, f"{_LABEL}({_LABEL})+")
        segments = f"({_SEGMENT}){{{self.n}}}" if self.kind is PresetKind.PATH_N else ""
        return f"({_SCHEME_AND_PORT}({labels}|{_SPECIAL}){segments})"


def _with_labels(head: str, n: int) -> str:
    """The head cut after n host stems, or whole when it has fewer."""
    end = head.find("h:")
    for _ in range(n):
        end = head.find("|", end) + 1
        if end in (0, len(head)):
            return head
    return head[:end]


def _extended(lru: str, start: str, n: int, kind: str = "") -> str:
    """The start and the n stems (of that kind) after it; an empty stem or another kind stops it sooner."""
    end = len(start)
    for _ in range(n):
        border = lru.find("|", end)
        if border <= end + 2 or not lru.startswith(kind, end):
            break
        end = border + 1
    return lru[:end]


@dataclass(frozen=True, slots=True)
class CreationRule:
    """A preset at an LRU prefix; the prefix "" makes it the default rule."""

    prefix: str
    preset: Preset

    @property
    def is_default(self) -> bool:
        """Whether it applies where no entity owns the page and no anchored rule matches."""
        return not self.prefix


class Flag(StrEnum):
    """What the branch of an LRU holds for a page of a batch."""

    PRECISION_EXCEPTION = "precision exception"
    CREATION_RULE = "creation rule"
    NO_WEB_ENTITY = "no web entity"
    WEB_ENTITY = "web entity"


@dataclass(frozen=True, slots=True)
class Decision:
    """What happens to a page: who owns it, or what is created for it.

    WEB_ENTITY: `prefix` owns it already, `rule` is None. CREATION_RULE: an entity is created at `prefix` by
    `rule` (the default rule included). NO_WEB_ENTITY: nobody owns it and no rule gives a prefix; both are
    None.
    """

    flag: Flag
    prefix: str | None
    rule: CreationRule | None

    @property
    def creates(self) -> bool:
        """Whether an entity is to be created at `prefix`."""
        return self.flag is Flag.CREATION_RULE


DEFAULT_RULE: Final = CreationRule("", Preset(PresetKind.DOMAIN))


class RuleSet:
    """The rules of a corpus. Immutable.

    A rule counts at its prefix and its variations; at a variation that has a rule of its own, that one
    counts. Of two rules for one prefix the later counts. Without a default rule in `rules`, the default is
    `domain`.
    """

    __slots__ = ("_anchored", "_default", "_given")

    def __init__(self, rules: Iterable[CreationRule] = (), policy: UrlPolicy = DEFAULT_POLICY) -> None:
        self._given = {rule.prefix: rule for rule in rules}
        self._default = self._given.pop("", DEFAULT_RULE)
        self._anchored: PrefixMap[CreationRule] = PrefixMap()
        for rule in self._given.values():
            for prefix in _anchors(rule.prefix, policy):
                self._anchored[prefix] = CreationRule(prefix, rule.preset)
        for rule in self._given.values():
            self._anchored[rule.prefix] = rule

    @property
    def default(self) -> CreationRule:
        """The default rule."""
        return self._default

    @property
    def rules(self) -> tuple[CreationRule, ...]:
        """The rules as given, the default first, then by prefix."""
        return (self._default, *(self._given[prefix] for prefix in sorted(self._given)))

    @property
    def anchors(self) -> tuple[str, ...]:
        """Every prefix at which a rule counts, variations included, in text order; none for the default."""
        return tuple(self._anchored)

    def anchors_under(self, prefix: str) -> list[str]:
        """The anchors at or under a prefix, in text order."""
        return [anchor for anchor, _ in self._anchored.iter_under(prefix)]

    def find_rule(self, prefix: str) -> CreationRule | None:
        """The rule that counts at exactly this prefix, given for it or for a variation of it."""
        return self._anchored.get(prefix) if prefix else self._default

    def with_rule(self, rule: CreationRule, policy: UrlPolicy = DEFAULT_POLICY) -> "RuleSet":
        """These rules and one more, which replaces those of its prefix and its variations."""
        return RuleSet((*self.without_rule(rule.prefix, policy).rules, rule), policy)

    def without_rule(self, prefix: str, policy: UrlPolicy = DEFAULT_POLICY) -> "RuleSet":
        """These rules but those of a prefix and its variations; without the default rule it is `domain`
        again."""
        gone = {prefix, *(_anchors(prefix, policy) if prefix else ())}
        return RuleSet((rule for rule in self.rules if rule.prefix not in gone), policy)

    def decide(self, lru: str, owned_prefix: str | None) -> Decision:
        """The one decision for a page, given the longest prefix an entity owns over it (None: nobody).

        The candidate is the longest prefix that any rule anchored on the page's path gives; it is created
        only when longer than the owned prefix. The default rule speaks only where nobody owns the page and no
        rule is anchored.
        """
        best: str | None = None
        by: CreationRule | None = None
        for prefix, rule in self._anchored.list_over(lru):
            candidate = rule.preset.apply(lru, prefix)
            if candidate is not None and (best is None or len(candidate) > len(best)):
                best, by = candidate, rule
        if best is None and owned_prefix is None:
            best, by = self._default.preset.apply(lru, ""), self._default
        if best is not None and (owned_prefix is None or len(best) > len(owned_prefix)):
            return Decision(Flag.CREATION_RULE, best, by)
        if owned_prefix is not None:
            return Decision(Flag.WEB_ENTITY, owned_prefix, None)
        return Decision(Flag.NO_WEB_ENTITY, None, None)


def _anchors(prefix: str, policy: UrlPolicy) -> tuple[str, ...]:
    """Where a rule counts: its prefix's variations and, for a public suffix ("blogs.example"), its
    tenants' branch."""
    head = head_of(prefix)
    host = host_of(head)
    if "." not in host or prefix != head or not suffix_table(policy.private_suffixes).is_suffix(host):
        return variations(prefix, policy)
    before_host = head[: head.find("h:")]
    tenants = f"{before_host}h:{host}|"
    return (*variations(prefix, policy), tenants, *variations(tenants, policy)[1:])


def rule_for_url(site: str, preset: str, policy: UrlPolicy = DEFAULT_POLICY) -> CreationRule:
    """The rule for a URL (or "site/path", then http): anchored at its entity prefix. Raises BadUrl,
    InvalidValue."""
    url = site if "://" in site else f"http://{site}"
    return CreationRule(entity_prefix(url_to_lru(url, policy)), Preset.parse(preset))


def _named_rules(name: str) -> tuple[CreationRule, ...]:
    text = (Path(__file__).parent / "data" / f"{name}_creation_rules.txt").read_text("utf-8")
    lines = (line.split() for line in text.splitlines() if line and not line.startswith("#"))
    return tuple(rule_for_url(site, preset) for site, preset in lines)


HYPHE_DEFAULT_RULES: Final = _named_rules("hyphe")
NAMED_RULES: Final[Mapping[str, tuple[CreationRule, ...]]] = MappingProxyType({"hyphe": HYPHE_DEFAULT_RULES})
