"""All methods of the service in one table. A new module of methods is named here, and nowhere else."""

from __future__ import annotations

from functools import cache

from hyphe_core.api import (
    access,
    boundaries,
    corpora,
    corpus_files,
    corpus_life,
    crawling,
    declaring,
    editing,
    entities,
    entity_statistics,
    forgetting,
    history,
    jobs,
    launching,
    links,
    listing,
    lookup,
    networks,
    opening,
    page_search,
    pages,
    parsing,
    redirects,
    rules,
    startpages,
    suggestions,
    system,
    tagging,
)
from hyphe_core.api.methods import MethodTable


@cache
def all_methods() -> MethodTable:
    """The table, made once a process."""
    return MethodTable(
        (
            access.methods,
            boundaries.methods,
            forgetting.methods,
            history.methods,
            tagging.methods,
            corpora.methods,
            corpus_files.methods,
            corpus_files.corpus_methods,
            corpus_life.methods,
            corpus_life.crawl_methods,
            corpus_life.corpus_methods,
            crawling.methods,
            jobs.methods,
            launching.methods,
            launching.crawl_methods,
            links.methods,
            redirects.methods,
            startpages.methods,
            crawling.crawl_methods,
            declaring.methods,
            editing.methods,
            entities.methods,
            entity_statistics.methods,
            listing.methods,
            lookup.methods,
            networks.methods,
            opening.methods,
            page_search.methods,
            pages.methods,
            pages.root_methods,
            parsing.methods,
            rules.methods,
            suggestions.methods,
            system.methods,
            system.rpc_methods,
        )
    )
