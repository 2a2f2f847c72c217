"""A service without sockets, and a caller of its methods on one corpus."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from hyphe_core.api.call import Caller
from hyphe_core.api.json_values import encode
from hyphe_core.api.schemas import COMPONENTS
from hyphe_core.api.service import Service
from hyphe_core.config import Config
from hyphe_core.crawl.corpus_options import new_corpus_options
from memory_structure.opening import open_registry
from memory_structure.structure import MemoryStructure
from memory_structure.url_cutter import url_to_lru
from tests.contract.hyphe_api import faults


class Refused(Exception):
    """A call whose answer is no; `answer` is the whole of it."""

    def __init__(self, answer: Any) -> None:
        super().__init__(answer["message"])
        self.answer = answer
        self.message = answer["message"]


@dataclass
class Curator:
    """Calls methods on one corpus; results come as JSON brings them, and as their schema says."""

    service: Service
    corpus: str

    @property
    def structure(self) -> MemoryStructure:
        return self.service.registry.open_structure(self.corpus)

    def call(self, name: str, /, *params: Any, **named: Any) -> Any:
        method = self.service.table.get(name)
        names = [p.name for p in method.parameters]
        values = dict(zip(names, params, strict=False)) | named | {"corpus": self.corpus}
        answer = json.loads(encode(self.service.answer_blocking(method.bind(values), Caller()).value))
        if answer["code"] != "success":
            raise Refused(answer)
        assert faults(answer["result"], method.result, definitions=COMPONENTS) == []
        return answer["result"]

    def refusal(self, name: str, /, *params: Any, **named: Any) -> Any:
        """The whole answer of a call that must fail."""
        with pytest.raises(Refused) as caught:
            self.call(name, *params, **named)
        return caught.value.answer

    def declare(self, *urls: str, **named: Any) -> int:
        """The id of a new entity that owns the prefixes of those URLs alone."""
        found = self.call("store.declare_webentity_by_lrus_as_urls", list(urls), lruVariations=False, **named)
        return int(found["id"])

    def entity(self, web_entity_id: int) -> Any:
        (found,) = self.call("store.get_webentity", web_entity_id)
        return found

    def pages(self, *urls: str) -> None:
        """Make pages known, in this order."""
        for url in urls:
            self.structure.declare_pages([url_to_lru(url)])

    def acts(self, **named: Any) -> Any:
        return self.call("history.list", **named)


@pytest.fixture
def curator(tmp_path: Path) -> Iterator[Curator]:
    registry = open_registry(tmp_path)
    config = Config(data_dir=tmp_path)
    # Not by the API: its corpora have rules for platforms too.
    corpus_id = registry.create_corpus("Curated", new_corpus_options(config)).corpus_id
    registry.set_started(corpus_id, True)
    yield Curator(Service(config, registry), corpus_id)
    registry.close()
