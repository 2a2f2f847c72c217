"""Records about a corpus as a whole: its options, totals, and what maintenance finds in it. All immutable."""

from __future__ import annotations

from dataclasses import dataclass, field

from memory_structure.host_aliases import alias_groups
from memory_structure.parse_options import ParseOptions
from memory_structure.urls import UrlPolicy


@dataclass(frozen=True, slots=True)
class CorpusOptions:
    """Choices of a corpus that change what its stored data mean or how it is crawled by default.

    `precision_limit` None: every page is a node. `private_suffixes` and `suffix_list` fix how hosts are cut.
    `host_aliases` are (host, host it stands for), sorted: see `memory_structure.host_aliases`.
    `index_text` None: words of pages can be searched as long as the corpus is small.
    `decode_redirects`: links through redirectors get a second link to where they lead. `redirects` are the
    changes of this corpus to the list of redirectors, "+rule" or "-rule", sorted by rule.
    `parsing`: how pages are parsed and what is kept of their links.
    `extra` holds options of client programs that this program only stores (name, JSON text), sorted.
    """

    default_rule: str = "domain"
    precision_limit: int | None = None
    private_suffixes: bool = True
    drop_tracking: bool = True
    suffix_list: str = ""
    allow_private_networks: bool = False
    keep_bodies: bool = True
    keep_text: bool = True
    index_text: bool | None = None
    obey_robots: bool = True
    delay_seconds: float = 1.0
    max_depth: int = 3
    user_agent: str = ""
    proxy: str | None = None
    start_modes: tuple[str, ...] = ("homepage", "prefixes", "pages-5")
    full_durability: bool = False
    decode_redirects: bool = True
    redirects: tuple[str, ...] = ()
    host_aliases: tuple[tuple[str, str], ...] = ()
    parsing: ParseOptions = ParseOptions()  # noqa: RUF009  a frozen value
    extra: tuple[tuple[str, str], ...] = ()

    @property
    def url_policy(self) -> UrlPolicy:
        """How the corpus cuts addresses."""
        return UrlPolicy(
            drop_tracking=self.drop_tracking,
            private_suffixes=self.private_suffixes,
            allow_single_label_hosts=self.allow_private_networks,
            host_aliases=alias_groups(self.host_aliases, self.private_suffixes),
        )


@dataclass(frozen=True, slots=True)
class CorpusCounters:
    """Totals of a corpus, kept up to date with each write."""

    n_pages: int = 0
    n_pages_fetched: int = 0
    n_links: int = 0
    n_in: int = 0
    n_out: int = 0
    n_undecided: int = 0
    n_discovered: int = 0

    @property
    def n_web_entities(self) -> int:
        """Web entities of any status."""
        return self.n_in + self.n_out + self.n_undecided + self.n_discovered


@dataclass(frozen=True, slots=True)
class Finding:
    """Something `check` found to differ: which law, which record, what is stored and what it should be."""

    law: str
    subject: str
    stored: str
    expected: str


@dataclass(frozen=True, slots=True)
class RuleApplication:
    """What applying a rule (again) to known pages created, or would create when `dry_run`."""

    prefixes: tuple[str, ...]
    n_pages_moved: int
    dry_run: bool
    created_web_entity_ids: tuple[int, ...] = field(default=())
