"""The law of the history: acts, their changes and the list of entities they touched belong together."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Final

from memory_structure.acts import MAX_LISTED_IDS
from memory_structure.corpus_records import Finding
from memory_structure.storage import Reader
from memory_structure.stored.act_codec import decode_changes
from memory_structure.stored.act_rows import entity_rows, touched_ids
from memory_structure.stored.schema import ACT_CHANGES, ACT_ENTITIES, ACTS
from memory_structure.stored.territory import Territory

ACTS_LAW: Final = "an act is found from each web entity it changed, and from the act that undid it"


def acts_hold(reader: Reader, territory: Territory) -> Iterator[Finding]:
    """Every act has changes, and exactly the web entities of these lead to it."""
    del territory
    n_rows = 0
    undone = {row[0]: row[8] for row in reader.scan(ACTS)}
    for act_id, _, _, _, _, n_entities, listed, undoes, undone_by in reader.scan(ACTS):
        row = reader.get(ACT_CHANGES, (act_id,)).get(act_id)
        ids = [] if row is None else touched_ids(decode_changes(row[1]))
        expected_rows = entity_rows(act_id, ids)
        found = reader.get(ACT_ENTITIES, [row[:2] for row in expected_rows])
        n_rows += len(found)
        told, expected = (n_entities, json.loads(listed)), (len(ids), ids[:MAX_LISTED_IDS])
        leads = [found.get(tuple(row[:2])) == row for row in expected_rows]
        if row is None or not all(leads) or told != expected:
            yield Finding(
                ACTS_LAW, f"act {act_id}", f"{n_entities} web entities", f"{len(ids)}, each leads to it"
            )
        if (undoes is not None and undoes not in undone) or (
            undone_by is not None and undone_by not in undone
        ):
            yield Finding(ACTS_LAW, f"act {act_id}", f"undoes {undoes}, undone by {undone_by}", "known acts")
    n_stored = reader.count(ACT_ENTITIES)
    if n_stored != n_rows:
        yield Finding(ACTS_LAW, "lists of web entities of acts", str(n_stored), str(n_rows))
