"""Links through redirectors: where they lead becomes a link of its own beside the link as found."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Final

from hyphe_core.crawl.redirect_rules import RedirectRules
from memory_structure.lru import head_of, lru_to_url
from memory_structure.records import FoundLink, LinkKind
from memory_structure.urls import BadUrl

_MEMO_SIZE: Final = 16_384
VIA: Final = "via:"
_KINDS: Final = frozenset({LinkKind.HYPERLINK, LinkKind.FRAME})


class LinkTargets:
    """Finds the targets of links through redirectors. `resolved`: address of a shortener -> its target, as
    far as it was asked for. Used in one thread."""

    def __init__(
        self, rules: RedirectRules, lru_of: Callable[[str], str], resolved: Mapping[str, str] = {}
    ) -> None:
        self._rules = rules
        self._lru_of = lru_of
        self._resolved = resolved
        self._is_redirector: dict[str, bool] = {}
        self._plain: set[str] = set()  # pages of other hosts, among the last ones met

    def with_targets(self, page_lru: str, links: Sequence[FoundLink]) -> Sequence[FoundLink]:
        """The links of a page, and behind them one link to each target that redirectors among them lead to.
        The same object when there is none. A target that is linked already, or is the page itself, is not
        added."""
        fresh = {link[0] for link in links} - self._plain
        if not fresh:  # most pages of a site share most of their links
            return links
        redirecting = {lru for lru in fresh if self._redirects(lru)}
        self._remember(fresh - redirecting)
        added: list[FoundLink] = []
        for link in links if redirecting else ():
            if link[0] in redirecting and link[1] in _KINDS:
                target = self.target_of(link[0], link[6])
                if target is not None and target != page_lru:
                    rel = _with_via(link[4], head_of(link[0]))
                    added.append(link._replace(target_lru=target, rel=rel, raw=None))
        return _united(links, added) if added else links

    def _remember(self, plain: set[str]) -> None:
        if len(self._plain) >= _MEMO_SIZE:
            self._plain = set()
        self._plain |= plain

    def _redirects(self, lru: str) -> bool:
        """Whether the host of a page is that of a redirector."""
        head = head_of(lru)
        known = self._is_redirector.get(head)
        return self._learn(head) if known is None else known

    def _learn(self, head: str) -> bool:
        if len(self._is_redirector) >= _MEMO_SIZE:
            self._is_redirector.clear()
        redirects = bool(self._rules.list_of_host(_host(head)))
        self._is_redirector[head] = redirects
        return redirects

    def target_of(self, lru: str, raw: str | None) -> str | None:
        """The LRU that a page leads to by the rules and by what was asked; None when that is not known."""
        target = self._rules.decode(raw or lru_to_url(lru)) or self._resolved.get(lru_to_url(lru))
        if target is None:
            return None
        try:
            key = self._lru_of(target.partition("#")[0])
        except BadUrl:
            return None
        end = self._resolved.get(lru_to_url(key))
        try:
            return self._lru_of(end) if end is not None else key
        except BadUrl:
            return key


def _host(head: str) -> str:
    return lru_to_url(head).partition("://")[2].rpartition("@")[2].partition(":")[0].partition("/")[0]


def _with_via(rel: str, head: str) -> str:
    """The words of rel with the redirector that the link goes through."""
    return " ".join(sorted({*rel.split(), VIA + _host(head)}))


def _united(links: Sequence[FoundLink], added: Sequence[FoundLink]) -> tuple[FoundLink, ...]:
    known = {(link[0], link[1]) for link in links}
    new: dict[tuple[str, LinkKind], FoundLink] = {}
    for link in added:
        identity = (link.target_lru, link.kind)
        if identity in known:
            continue
        other = new.get(identity)
        if other is None:
            new[identity] = link
        else:
            rel = " ".join(sorted({*other.rel.split(), *link.rel.split()}))
            new[identity] = other._replace(count=other.count + link.count, rel=rel)
    return (*links, *new.values())
