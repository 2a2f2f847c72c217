"""Scores of pages: what a batch gives is appended as one row, and such rows are added up into blocks now and
then, so that a link costs no write of its own."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import chain
from typing import Final

import numpy as np
from numpy.typing import NDArray

from memory_structure.batch import Page
from memory_structure.lru import head_of
from memory_structure.opic import Scores, shared_scores
from memory_structure.parse_options import ParseOptions
from memory_structure.storage import Reader, Span, Transaction
from memory_structure.stored.schema import BLOCK, SCORE_GIFTS, SCORES

_GIFT: Final = np.dtype([("page", "<i4"), ("score", "<f4")])
_SCORE: Final = np.dtype("<f4")
_MARK: Final = -1
_MOST_ROWS: Final = 64
_INJECTED: Final = 1.0


class ScoreArray:
    """The score of each page id. Mirrors blocks and gifts of the store."""

    def __init__(self) -> None:
        self.forget()

    def forget(self) -> None:
        """Trust nothing of it any more."""
        self._array: NDArray[np.float32] = np.zeros(0, np.float32)
        self._last = -1  # row of gifts added last
        self._rows: list[int] = []  # rows of gifts that are in no block
        self._dirty = np.zeros(0, np.bool_)  # by block: whether such rows change it
        self.version = -1  # of the corpus, when all there is was known

    @property
    def values(self) -> NDArray[np.float32]:
        """Scores by id; ids above were never given anything."""
        return self._array

    def refresh(self, reader: Reader) -> None:
        """Load what is not known yet."""
        mark = _mark(reader)
        if mark > self._last:
            self.forget()
            self._load_blocks(reader, mark)
        elif self._rows and self._rows[0] <= mark:  # another process has added them up
            self._rows = [row_id for row_id in self._rows if row_id > mark]
        for row_id, blob in reader.scan(SCORE_GIFTS, Span(lower=self._last + 1)):
            self._add(row_id, np.frombuffer(blob, _GIFT))

    def _load_blocks(self, reader: Reader, mark: int) -> None:
        for block, blob in reader.scan(SCORES, Span(lower=0)):
            values = np.frombuffer(blob, _SCORE)
            self._reserve(block * BLOCK + len(values))
            self._array[block * BLOCK : block * BLOCK + len(values)] = values
        self._last = mark

    def give(self, transaction: Transaction, row_id: int, ids: NDArray[np.int64], amounts: Scores) -> None:
        """Add to scores, and store that. Ids may repeat."""
        gifts = np.empty(len(ids), _GIFT)
        gifts["page"], gifts["score"] = ids, amounts
        transaction.insert(SCORE_GIFTS, [(row_id, gifts.tobytes())])
        self._add(row_id, gifts)
        if len(self._rows) > _MOST_ROWS:
            self._add_up(transaction)

    def of(self, ids: NDArray[np.int64]) -> Scores:
        """Scores of pages."""
        self._reserve(int(ids.max(initial=-1)) + 1)
        return self._array[ids].astype(np.float64)

    def _add(self, row_id: int, gifts: NDArray[np.void]) -> None:
        ids = gifts["page"]
        self._reserve(int(ids.max(initial=-1)) + 1)
        np.add.at(self._array, ids, gifts["score"])
        self._rows.append(row_id)
        self._dirty[ids // BLOCK] = True
        self._last = row_id

    def _add_up(self, transaction: Transaction) -> None:
        blocks = np.flatnonzero(self._dirty).tolist()
        rows = [(b, self._array[b * BLOCK : (b + 1) * BLOCK].tobytes()) for b in blocks]
        transaction.put(SCORES, [*rows, (_MARK, str(self._last).encode())])
        transaction.delete(SCORE_GIFTS, self._rows)
        self._rows = []
        self._dirty[:] = False

    def _reserve(self, n: int) -> None:
        if n > len(self._array):
            more = np.zeros(max(n - len(self._array), len(self._array) // 4), np.float32)
            self._array = np.concatenate((self._array, more))
            n_blocks = len(self._array) // BLOCK + 1
            self._dirty = np.concatenate((self._dirty, np.zeros(n_blocks - len(self._dirty), np.bool_)))


def _mark(reader: Reader) -> int:
    row = reader.get(SCORES, (_MARK,)).get(_MARK)
    return -1 if row is None else int(row[1])


def share_scores(
    transaction: Transaction,
    scores: ScoreArray,
    pages: Sequence[Page],
    targets: Sequence[Sequence[int]],
    options: ParseOptions,
    version: int,
) -> dict[int, float]:
    """Let pages of a batch share their scores among their links; by page id what each had to share.

    Start pages that nothing was given get a score to begin with. Each page shares what it has when its turn
    comes, gifts of earlier pages of the batch among it, so that scores do not depend on where batches begin.
    `version` of the corpus before it: nobody wrote since when it is the one left by the last call.
    """
    if scores.version != version:
        scores.refresh(transaction)
    ids = np.array([page.page_id for page in pages], np.int64)
    before = scores.of(ids)
    is_start = np.array([page.fetch.depth == 0 for page in pages], np.bool_) & (before == 0)
    injected = np.where(is_start, _INJECTED, 0.0)
    n_links = np.array([len(each) for each in targets], np.int64)
    page_of_link = np.repeat(np.arange(len(pages)), n_links)
    linked = np.fromiter(chain.from_iterable(targets), np.int64, len(page_of_link))
    weights = _weights(pages, options)
    having = _with_gifts(before + injected, ids, page_of_link, linked, n_links, weights)
    given = shared_scores(having, page_of_link, n_links, weights)
    starts = np.flatnonzero(is_start)
    taking, amounts = np.concatenate((ids[starts], linked)), np.concatenate((injected[starts], given))
    scores.give(transaction, max(page.fetch_id for page in pages), taking, amounts)
    scores.version = version + 1
    return dict(zip(ids.tolist(), having.tolist(), strict=True))


def _with_gifts(
    scores: Scores,
    ids: NDArray[np.int64],
    page_of_link: NDArray[np.int64],
    linked: NDArray[np.int64],
    n_links: NDArray[np.int64],
    weights: Scores | None,
) -> Scores:
    """What each page of a batch has when its turn comes: its score and what earlier ones give to it."""
    order = np.argsort(ids, kind="stable")
    places = order[np.minimum(np.searchsorted(ids, linked, sorter=order), len(ids) - 1)]
    inner = np.flatnonzero((ids[places] == linked) & (page_of_link < places))
    if not len(inner):
        return scores
    givers, takers = page_of_link[inner], places[inner]
    shares = 1 / n_links[givers] if weights is None else weights[inner] / n_links[givers]
    having = scores.copy()
    bounds = np.searchsorted(givers, np.arange(len(ids) + 1))  # links come by their page
    for giver in np.unique(givers).tolist():
        part = slice(bounds[giver], bounds[giver + 1])
        np.add.at(having, takers[part], having[giver] * shares[part])
    return having


def _weights(pages: Sequence[Page], options: ParseOptions) -> Scores | None:
    """Weights of the links in order; None when links within a site are worth as much as others."""
    inside, outside = options.internal_share, options.external_share
    if inside == outside:
        return None if inside == 1 else np.full(sum(len(page.targets) for page in pages), inside)
    weights = [
        inside if target.startswith(head) else outside
        for page in pages
        for head in (head_of(page.lru),)
        for target in page.targets
    ]
    return np.array(weights, np.float64)
