"""Clicks from start pages, over columns of links: breadth first, redirects free of charge."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from memory_structure.stored.codec import Ints, LinkColumns

UNREACHED = -1


class DepthColumns(NamedTuple):
    """Page ids, rising, each with its clicks; UNREACHED where no chain of links leads."""

    page_ids: Ints
    clicks: Ints

    def of(self, page_ids: Ints) -> Ints:
        """The clicks of pages; UNREACHED for those that are not known here."""
        if not len(self.page_ids):
            return np.full(len(page_ids), UNREACHED, np.int32)
        places = np.minimum(np.searchsorted(self.page_ids, page_ids), len(self.page_ids) - 1)
        return np.where(self.page_ids[places] == page_ids, self.clicks[places], np.int32(UNREACHED))


class _Graph:
    """Links as ranges of targets by source, over positions in a table of page ids."""

    def __init__(self, n_pages: int, sources: Ints, targets: Ints) -> None:
        order = np.argsort(sources, kind="stable")
        self._targets = targets[order]
        self._borders = np.searchsorted(sources[order], np.arange(n_pages + 1))

    def targets_of(self, pages: Ints) -> Ints:
        """Where links of these pages lead, with doubles."""
        starts, n_links = self._borders[pages], self._borders[pages + 1] - self._borders[pages]
        before = np.cumsum(n_links) - n_links
        places = np.repeat(starts - before, n_links) + np.arange(int(n_links.sum()))
        return self._targets[places]


def clicks_from(starts: Ints, links: LinkColumns, free: np.ndarray) -> DepthColumns:
    """The fewest clicks from the starts to every page that a link of the columns touches; links where `free`
    is true cost none."""
    ids = np.unique(np.concatenate((starts, links.sources, links.targets)))
    sources = np.searchsorted(ids, links.sources).astype(np.int32)
    targets = np.searchsorted(ids, links.targets).astype(np.int32)
    redirects = _Graph(len(ids), sources[free], targets[free])
    clicks = _Graph(len(ids), sources[~free], targets[~free])
    depth = np.full(len(ids), UNREACHED, np.int32)
    level, here = 0, np.unique(np.searchsorted(ids, starts)).astype(np.int32)
    while len(here):
        here = _with_redirects(here, redirects, depth, level)
        reached = np.unique(clicks.targets_of(here))
        here = reached[depth[reached] == UNREACHED]
        level += 1
    return DepthColumns(ids.astype(np.int32), depth)


def _with_redirects(pages: Ints, redirects: _Graph, depth: Ints, level: int) -> Ints:
    """The pages and those that redirects lead to from there, all of them marked with the level."""
    found: list[Ints] = []
    while len(pages):
        depth[pages] = level
        found.append(pages)
        reached = np.unique(redirects.targets_of(pages))
        pages = reached[depth[reached] == UNREACHED]
    return np.concatenate(found)
