from collections import namedtuple

import pytest

from hyphe_core.cli import crawl_worries
from hyphe_core.cli.crawl_worries import LEAST_ROOM_BYTES, PATIENCE_SECONDS, DeathWatch, require_room
from memory_structure.errors import StoreFull

Usage = namedtuple("Usage", "total used free")


def test_workers_that_stay_dead_are_told_once():
    told, now, alive = [], 0.0, True
    watch = DeathWatch(lambda: alive, told.append, lambda: now)
    watch.look()
    alive = False
    watch.look()
    now += PATIENCE_SECONDS / 2
    watch.look()
    assert told == []
    alive = True
    watch.look()
    alive = False
    watch.look()
    now += PATIENCE_SECONDS
    watch.look()
    watch.look()
    assert len(told) == 1


def test_a_full_disk_stops_the_crawl_with_words(tmp_path, monkeypatch):
    require_room(tmp_path)
    monkeypatch.setattr(crawl_worries.shutil, "disk_usage", lambda folder: Usage(1, 1, LEAST_ROOM_BYTES - 1))
    with pytest.raises(StoreFull, match=r"is full .* make room, then --resume"):
        require_room(tmp_path)
