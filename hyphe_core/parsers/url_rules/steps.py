"""What a step of a chain is: a normaliser rewrites a URL or refuses it, a filter lets it pass or not."""

from __future__ import annotations

from abc import ABC, abstractmethod
from enum import StrEnum


class Scope(StrEnum):
    """What a chain is run for. A chain may have other steps for a scope than for the others."""

    DEFAULT = "default"
    PARTITION = "partition"
    GENERATE_HOST_COUNT = "generate_host_count"
    FETCHER = "fetcher"
    CRAWLDB = "crawldb"
    LINKDB = "linkdb"
    INJECT = "inject"
    OUTLINK = "outlink"
    INDEXER = "indexer"


class Normalizer(ABC):
    """Rewrites URLs. Instances are immutable."""

    @abstractmethod
    def normalize(self, url: str, scope: Scope = Scope.DEFAULT) -> str:
        """The URL in this step's form. Raises MalformedUrl when the step refuses it."""


class Filter(ABC):
    """Lets URLs pass or not. Instances are immutable; a malformed URL is an answer, never an error."""

    @abstractmethod
    def accepts(self, url: str) -> bool:
        """Whether the URL passes."""


class BadRules(ValueError):
    """Rules given by a user cannot be read. The message says which line and why."""


def list_rule_lines(text: str) -> list[str]:
    """Lines of a rules text, trimmed, without blank ones and comments (a hash at the start)."""
    lines = (line.strip() for line in text.splitlines())
    return [line for line in lines if line and not line.startswith("#")]
