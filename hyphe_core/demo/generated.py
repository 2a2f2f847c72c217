"""Pages of the demo web that are computed from their address: a forum, an endless calendar, a link trap."""

from __future__ import annotations

import re
from collections.abc import Callable
from datetime import date, timedelta
from hashlib import sha256
from urllib.parse import parse_qs, urlsplit

from hyphe_core.demo.site_files import Page, Site

FORUM_HOST = "forum.debat-eolien.fr"
CALENDAR_HOST = "www.mairie-valmer.fr"
BULLETIN_HOST = "www.horizon-libre.org"

POSTS_PER_PAGE = 5
FIRST_MONTH = date(2026, 3, 1)
MONTHS = "janvier février mars avril mai juin juillet août septembre octobre novembre décembre".split()
EVENTS = ("Réunion publique", "Permanence du projet éolien", "Marché", "Conseil municipal", "Balade")

_MONTH_PATH = re.compile(r"/agenda/(\d{4})-(\d\d)")
_DAY_PATH = re.compile(r"/agenda/(\d{4})-(\d\d)-(\d\d)")
_BULLETIN_PATH = re.compile(r"/(?:bulletins/)+")


def find_generated_page(site: Site, target: str) -> Page | None:
    """The computed page at a path with query, None when this site computes nothing there."""
    generator = _GENERATORS.get(site.host)
    return generator(site, target) if generator else None


def _find_forum_page(site: Site, target: str) -> Page | None:
    """Index, topics five posts a page, and the form that robots.txt closes; every link carries a session id.

    The id depends on the page alone, so that two crawls of the forum meet the same addresses.
    """
    parts = urlsplit(target)
    query = {key: values[0] for key, values in parse_qs(parts.query).items()}
    session = sha256((parts.path + query.get("t", "") + query.get("start", "")).encode()).hexdigest()[:32]
    if parts.path == "/index.php":
        return Page(target, title="Sommaire du forum", body=_forum_index(site, session))
    if parts.path == "/memberlist.php":
        return site.pages["/memberlist.php"]
    topic = site.pages.get(f"topic {query.get('t', '')}")
    if topic is None:
        return None
    if parts.path == "/posting.php":
        return Page(target, title=f"Répondre à « {topic.title} »", body="Réservé aux membres.")
    if parts.path == "/viewtopic.php" and query.get("start", "0").isdecimal():
        return _forum_topic(topic, target, query["t"], int(query.get("start", "0")), session)
    return None


def _forum_index(site: Site, session: str) -> str:
    topics = [(path.split()[1], page.title) for path, page in site.pages.items() if path.startswith("topic ")]
    return "\n".join(f"- [{title}](viewtopic.php?t={number}&PHPSESSID={session})" for number, title in topics)


def _forum_topic(topic: Page, target: str, number: str, start: int, session: str) -> Page | None:
    posts = topic.body.splitlines()
    if start >= len(posts) or start % POSTS_PER_PAGE:
        return None
    others = [first for first in range(0, len(posts), POSTS_PER_PAGE) if first != start]
    lines = posts[start : start + POSTS_PER_PAGE]
    for first in others:
        position = f"&start={first}" if first else ""
        lines.append(
            f"- [{first // POSTS_PER_PAGE + 1}](viewtopic.php?t={number}{position}&PHPSESSID={session})"
        )
    lines.append(f"[Répondre](posting.php?mode=reply&t={number}&PHPSESSID={session})")
    return Page(target, title=topic.title, body="\n".join(lines))


def _find_calendar_page(_site: Site, target: str) -> Page | None:
    """A month with its days and its neighbours, or a day with its event; without end in either direction."""
    if target == "/agenda":
        return _calendar_month(target, FIRST_MONTH)
    try:
        if match := _MONTH_PATH.fullmatch(target):
            return _calendar_month(target, date(int(match[1]), int(match[2]), 1))
        if match := _DAY_PATH.fullmatch(target):
            return _calendar_day(target, date(int(match[1]), int(match[2]), int(match[3])))
    except (ValueError, OverflowError):
        return None
    return None


def _calendar_month(target: str, first: date) -> Page:
    following = (first + timedelta(days=31)).replace(day=1)
    previous = (first - timedelta(days=1)).replace(day=1)
    n_days = (following - first).days
    days = [f"- [{day}](/agenda/{first:%Y-%m}-{day:02})" for day in range(1, n_days + 1)]
    ends = [f"[{_name_month(month)}](/agenda/{month:%Y-%m})" for month in (previous, following)]
    return Page(target, title=f"Agenda, {_name_month(first)}", body="\n".join([" ".join(ends), *days]))


def _calendar_day(target: str, day: date) -> Page:
    event = EVENTS[day.toordinal() % len(EVENTS)]
    back = f"[Retour au mois](/agenda/{day:%Y-%m})"
    return Page(target, title=f"{day.day} {_name_month(day)}", body=f"{event}, à dix-huit heures.\n{back}")


def _name_month(day: date) -> str:
    return f"{MONTHS[day.month - 1]} {day.year}"


def _find_bulletin_page(_site: Site, target: str) -> Page | None:
    """The same page at any depth: its relative link, without a slash in front, leads one folder deeper."""
    if not _BULLETIN_PATH.fullmatch(target):
        return None
    text = "Le bulletin de ce mois est [à l'impression](bulletins/). Les précédents sont épuisés."
    return Page(target, title="Bulletins", body=text)


_GENERATORS: dict[str, Callable[[Site, str], Page | None]] = {
    FORUM_HOST: _find_forum_page,
    CALENDAR_HOST: _find_calendar_page,
    BULLETIN_HOST: _find_bulletin_page,
}
