"""robots.txt: read, judged, remembered for a while.

Rules of RFC 9309: 2xx is read (up to 512 KiB), 4xx allows all, 5xx and time-outs forbid all for now. An
HTML page in its place allows all unless rules stand in it.
"""

from __future__ import annotations

import re
from collections import OrderedDict
from dataclasses import dataclass
from enum import Enum
from html import unescape
from typing import Final, NamedTuple

from protego import Protego

from memory_structure.records import FetchError
from memory_structure.registry import HostKey

MAX_ROBOTS_BYTES: Final = 512 * 1024
MAX_ROBOTS_REDIRECTS: Final = 5
KEEP_SECONDS: Final = 24 * 3600.0
KEEP_FAILURE_SECONDS: Final = 3600.0
_MAX_REMEMBERED: Final = 5000
# No pattern may look far ahead from many places: a hostile file would take minutes.
_TAG: Final = re.compile(r"<[^<>]*>")
_LINE_TAG: Final = re.compile(r"</?(?:br|p|div|li|tr)\b[^<>]*>", re.IGNORECASE)
_AGENT_LINE: Final = re.compile(r"^[ \t]*user-agent[ \t]*:", re.IGNORECASE | re.MULTILINE)
_ANY_AGENT: Final = re.compile(r"\s*+user[- ]?agent(?![^:\s])\s*+:?(.*)", re.IGNORECASE)
_N_HARMLESS_RULES: Final = 1_000_000
_COMPATIBLE: Final = re.compile(r"compatible; ?([\w-]+)")
_AGENT_VERSION: Final = re.compile(
    r"^([ \t]*user-agent[ \t]*:[ \t]*[\w-]+)/[^\s#]*", re.IGNORECASE | re.MULTILINE
)
# Failures of the way to the host: a page would fail the same way, so its record names the failure itself.
_WAY_FAILURES: Final = frozenset(
    {FetchError.DNS, FetchError.PRIVATE_ADDRESS, FetchError.CONNECTION, FetchError.TLS, FetchError.PROXY}
)


def agent_token(user_agent: str) -> str:
    """The product name of a user agent, by which sites speak to it: "hyphe-crawler" of "hyphe-crawler/1
    (...)", "Foobot" of "Mozilla/5.0 (compatible; Foobot/2.1; ...)"."""
    named = _COMPATIBLE.search(user_agent)
    return named[1] if named else user_agent.partition("/")[0].partition(" ")[0].strip()


class RobotsKey(NamedTuple):
    """Whose rules: the host and proxy, the scheme, and the agent they are asked for."""

    host: HostKey
    scheme: str
    agent: str


class RobotsState(Enum):
    """RULES: a file was read. ALLOW: there is none. DENY: it could not be had."""

    RULES = "rules"
    ALLOW = "allow"
    DENY = "deny"


@dataclass(frozen=True, slots=True)
class RobotsRules:
    """What a host wants of one agent, `agent` being its product name. `crawl_delay` in seconds, 0 when
    nothing is said. With DENY, `error` and `detail` say what a refused page is recorded with."""

    state: RobotsState
    agent: str = ""
    rules: Protego | None = None
    error: FetchError = FetchError.ROBOTS
    detail: str = "robots.txt forbids it"
    crawl_delay: float = 0.0

    def allows(self, url: str) -> bool:
        """Whether a page may be fetched."""
        if self.rules is None:
            return self.state is RobotsState.ALLOW
        return bool(self.rules.can_fetch(url, self.agent))


NOT_HAD: Final = "robots.txt could not be had"
ALLOW_ALL: Final = RobotsRules(RobotsState.ALLOW)


def judge_robots(agent: str, status: int | None, error: FetchError | None, body: bytes) -> RobotsRules:
    """The rules that follow from an answer (redirects already followed)."""
    if status is None or (error is not None and error not in (FetchError.TOO_LARGE, FetchError.TRUNCATED)):
        way = error if error in _WAY_FAILURES else FetchError.ROBOTS
        return RobotsRules(RobotsState.DENY, error=way, detail=f"{NOT_HAD}: {error}")
    if 200 <= status < 300:
        return parse_robots(body, agent)
    if status >= 500 or status == 429:
        return RobotsRules(RobotsState.DENY, detail=f"{NOT_HAD}: status {status}")
    return ALLOW_ALL


def parse_robots(body: bytes, agent: str) -> RobotsRules:
    """The rules of a file for an agent. Over the size limit the cut last line is dropped; rules wrapped
    in HTML are read."""
    token = agent_token(agent) or agent
    if len(body) > MAX_ROBOTS_BYTES:
        body = body[:MAX_ROBOTS_BYTES].rpartition(b"\n")[0]
    text = body.decode("utf-8-sig", "replace").replace("\x00", "")
    if text.lstrip()[:1] == "<":
        text = _text_of_markup(text)
        if not _AGENT_LINE.search(text):
            return ALLOW_ALL
    text = without_other_agents(_AGENT_VERSION.sub(r"\1", text), token.lower())
    rules = Protego.parse(text)
    delay = rules.crawl_delay(token)
    return RobotsRules(
        RobotsState.RULES, token, rules, crawl_delay=float(delay) if delay is not None and delay > 0 else 0.0
    )


def without_other_agents(text: str, token: str) -> str:
    """The text with one name for all agents that are not this one, when there are many: each rule is kept for
    each agent of its group. Names that the token (in lower case) begins with stay."""
    lines = text.splitlines()
    agents = [_ANY_AGENT.match(line) for line in lines]
    if sum(found is not None for found in agents) * len(lines) < _N_HARMLESS_RULES:
        return text
    for index, found in enumerate(agents):
        name = found[1].partition("#")[0].strip().lower().replace("*", "") if found is not None else ""
        if name and not token.startswith(name):
            lines[index] = "User-agent: -"
    return "\n".join(lines)


def _text_of_markup(text: str) -> str:
    return unescape(_TAG.sub("", _LINE_TAG.sub("\n", text)))


class RobotsCache:
    """Rules by key, each until its time, at most 5,000; the least recently used goes first."""

    __slots__ = ("_kept",)

    def __init__(self) -> None:
        self._kept: OrderedDict[RobotsKey, tuple[float, RobotsRules]] = OrderedDict()

    def find(self, key: RobotsKey, now: float) -> RobotsRules | None:
        """The rules known for a key, None when unknown or too old."""
        kept = self._kept.get(key)
        if kept is None:
            return None
        if kept[0] <= now:
            del self._kept[key]
            return None
        self._kept.move_to_end(key)
        return kept[1]

    def keep(self, key: RobotsKey, rules: RobotsRules, now: float) -> None:
        """Remember rules: a day, or an hour when they only stand for a failure."""
        seconds = KEEP_FAILURE_SECONDS if rules.state is RobotsState.DENY else KEEP_SECONDS
        self._kept[key] = (now + seconds, rules)
        self._kept.move_to_end(key)
        while len(self._kept) > _MAX_REMEMBERED:
            self._kept.popitem(last=False)
