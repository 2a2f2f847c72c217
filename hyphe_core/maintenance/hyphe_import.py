"""Importing web entities and creation rules into a corpus, with what became of every line."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace

from hyphe_core.maintenance.hyphe_import_records import (
    ImportedEntity,
    ImportedRule,
    ImportLine,
    ImportOutcome,
    ImportPlan,
    ImportReport,
)
from memory_structure.creation_rules import CreationRule, Preset
from memory_structure.errors import CallerError
from memory_structure.lru import canonical_lru, entity_prefix
from memory_structure.prefixes import variations
from memory_structure.records import StartPage, WebEntity, WebEntityStatus
from memory_structure.structure import MemoryStructure
from memory_structure.url_cutter import cutter_for
from memory_structure.urls import BadUrl, UrlPolicy, clean_user_url

# Called with how many entities are done, and out of how many.
ImportProgress = Callable[[int, int], None]


def unwatched(_done: int, _total: int) -> None:
    """A progress that nobody watches."""


@dataclass(slots=True)
class _Wish:
    """An entity to import: its canonical prefixes, and the entity of the corpus it has become."""

    found: ImportedEntity
    prefixes: dict[str, None]
    entity: WebEntity | None = None


@dataclass(slots=True)
class _Import:
    """An import under way."""

    structure: MemoryStructure
    policy: UrlPolicy
    join_twins: bool
    lines: list[ImportLine] = field(default_factory=list)
    n_created: int = 0
    n_known: int = 0
    n_rules: int = 0

    def note(self, where: str, outcome: ImportOutcome, message: str) -> None:
        """Tell what became of a line."""
        self.lines.append(ImportLine(where, outcome, message))


def import_plan(
    structure: MemoryStructure,
    plan: ImportPlan,
    *,
    join_twins: bool = True,
    default_status: WebEntityStatus = WebEntityStatus.IN,
    progress: ImportProgress = unwatched,
) -> ImportReport:
    """Import rules and web entities. A line that cannot be imported never stops the others.

    With `join_twins` entities whose prefixes differ in http and https alone are one. An entity of which the
    corpus has a prefix already is completed: prefixes, tags and start pages are added, name and status stay
    (but DISCOVERED gives way). Importing the same again changes nothing.
    """
    run = _Import(structure, structure.options().url_policy, join_twins, list(plan.lines))
    for rule in plan.rules:
        _import_rule(run, rule)
    wishes = _joined(run, _wishes(run, plan.entities))
    for n_done, wish in enumerate(wishes, 1):
        _import_entity(run, wish, default_status)
        progress(n_done, len(wishes))
    for wish in wishes:  # only now: a start page may lie below an entity that came later
        _complete(run, wish)
    return ImportReport(run.n_created, run.n_known, run.n_rules, tuple(run.lines))


# -- rules ------------------------------------------------------------------------------------------------


def _import_rule(run: _Import, found: ImportedRule) -> None:
    is_default = found.prefix in ("", "DEFAULT_WEBENTITY_CREATION_RULE")
    try:
        prefix = "" if is_default else _prefix(found.prefix, run.policy)
        rule = CreationRule(prefix, Preset.parse(found.preset))
        if rule not in run.structure.rules().rules and rule != run.structure.rules().default:
            run.structure.add_rule(rule)
            run.n_rules += 1
    except (BadUrl, CallerError, ValueError) as error:
        run.note(found.where, ImportOutcome.REFUSED, f"rule {found.preset!r} at {found.prefix}: {error}")


# -- prefixes and twins -----------------------------------------------------------------------------------


def _prefix(text: str, policy: UrlPolicy) -> str:
    """The canonical prefix of an LRU or an address in any spelling."""
    if text.startswith("s:"):
        return entity_prefix(canonical_lru(text, policy))
    return entity_prefix(cutter_for(policy).lru(clean_user_url(text, policy)))


def _wishes(run: _Import, entities: Iterable[ImportedEntity]) -> Iterator[_Wish]:
    for found in entities:
        prefixes: dict[str, None] = {}
        for text in found.prefixes:
            try:
                prefix = _prefix(text, run.policy)
            except (BadUrl, CallerError) as error:
                run.note(found.where, ImportOutcome.PARTLY, f"prefix {text} is left out: {error}")
                continue
            prefixes |= dict.fromkeys(variations(prefix, run.policy) if found.widened else (prefix,))
        for fault in found.faults:
            run.note(found.where, ImportOutcome.PARTLY, fault)
        if prefixes:
            yield _Wish(found, prefixes)
        else:
            run.note(found.where, ImportOutcome.REFUSED, f"{found.name or 'it'} has no usable prefix")


def _twin(prefix: str) -> str:
    """The same prefix under the other scheme."""
    if prefix.startswith("s:http|"):
        return "s:https|" + prefix[7:]
    return "s:http|" + prefix[8:] if prefix.startswith("s:https|") else prefix


def _joined(run: _Import, wishes: Iterable[_Wish]) -> list[_Wish]:
    """Wishes for one site become one, the first; the lines joined are told."""
    holders: dict[str, _Wish] = {}
    kept: list[_Wish] = []
    for wish in wishes:
        known = next((holders[p] for p in _same_site(run, wish.prefixes) if p in holders), None)
        if known is None:
            kept.append(wish)
            known = wish
        else:
            _join(run, known, wish)
        holders |= dict.fromkeys(wish.prefixes, known)
    return kept


def _same_site(run: _Import, prefixes: Iterable[str]) -> Iterator[str]:
    for prefix in prefixes:
        yield prefix
        if run.join_twins:
            yield _twin(prefix)


def _join(run: _Import, kept: _Wish, other: _Wish) -> None:
    one, two = kept.found, other.found
    differing = (
        f"; status {two.status} gives way to {one.status}" if two.status not in (None, one.status) else ""
    )
    run.note(two.where, ImportOutcome.JOINED, f"the same site as {one.where}{differing}")
    kept.prefixes |= other.prefixes
    kept.found = replace(
        one,
        name=one.name or two.name,
        status=one.status or two.status,
        homepage=one.homepage or two.homepage,
        start_pages=tuple(dict.fromkeys((*one.start_pages, *two.start_pages))),
        tags=tuple(dict.fromkeys((*one.tags, *two.tags))),
        note="\n".join(dict.fromkeys(filter(None, (one.note, two.note)))),
    )


# -- entities ---------------------------------------------------------------------------------------------


def _import_entity(run: _Import, wish: _Wish, default_status: WebEntityStatus) -> None:
    owners = _owners(run, wish.prefixes)
    try:
        if len(owners) > 1:
            ids = " and ".join(str(owner) for owner in sorted(owners))
            run.note(wish.found.where, ImportOutcome.REFUSED, f"its prefixes belong to web entities {ids}")
        elif owners:
            wish.entity = _known_entity(run, wish, owners.pop())
        else:
            wish.entity = run.structure.declare_web_entity(
                tuple(wish.prefixes),
                name=wish.found.name or None,
                status=wish.found.status or default_status,
                tags=wish.found.tags,
            )
            run.n_created += 1
    except CallerError as error:
        run.note(wish.found.where, ImportOutcome.REFUSED, str(error))


def _owners(run: _Import, prefixes: Iterable[str]) -> set[int]:
    owners = (run.structure.find_web_entity_by_prefix(prefix) for prefix in _same_site(run, prefixes))
    return {owner.web_entity_id for owner in owners if owner is not None}


def _known_entity(run: _Import, wish: _Wish, web_entity_id: int) -> WebEntity:
    entity = run.structure.get_web_entity(web_entity_id)
    missing = [prefix for prefix in wish.prefixes if prefix not in entity.prefixes]
    if missing:
        entity = run.structure.add_prefixes(web_entity_id, missing)
    tags = tuple(sorted({*entity.tags, *wish.found.tags}))
    gives_way = entity.status is WebEntityStatus.DISCOVERED and wish.found.status is not None
    status = wish.found.status if gives_way else entity.status
    if tags != tuple(sorted(entity.tags)) or status is not entity.status:
        entity = run.structure.edit_web_entity(web_entity_id, status=status, tags=tags)
    run.n_known += 1
    run.note(wish.found.where, ImportOutcome.KNOWN, f"it is web entity {web_entity_id}, {entity.name}")
    return entity


def _complete(run: _Import, wish: _Wish) -> None:
    """Start pages, home page and note of an imported entity."""
    entity, found = wish.entity, wish.found
    if entity is None:
        return
    pages = _start_pages(run, entity, found)
    homepage = found.homepage if found.homepage and not entity.homepage else None
    if homepage is not None and not _belongs(run, entity, homepage):
        run.note(found.where, ImportOutcome.PARTLY, f"home page {homepage} does not belong to it")
        homepage = None
    note = found.note if found.note and not entity.note else None
    if pages is None and homepage is None and note is None:
        return
    try:
        run.structure.edit_web_entity(entity.web_entity_id, start_pages=pages, homepage=homepage, note=note)
    except CallerError as error:
        run.note(found.where, ImportOutcome.PARTLY, f"start pages, home page and note: {error}")


def _start_pages(run: _Import, entity: WebEntity, found: ImportedEntity) -> Sequence[StartPage] | None:
    """All start pages of the entity with the new ones, None when there is none to add."""
    known = {_lru(run, page.url) for page in entity.start_pages}
    new: dict[str, StartPage] = {}
    for page in found.start_pages:
        if not _belongs(run, entity, page.url):
            run.note(found.where, ImportOutcome.PARTLY, f"start page {page.url} does not belong to it")
        elif _lru(run, page.url) not in known:
            new.setdefault(str(_lru(run, page.url)), page)
    return (*entity.start_pages, *new.values()) if new else None


def _lru(run: _Import, url: str) -> str | None:
    try:
        return cutter_for(run.policy).lru(clean_user_url(url, run.policy))
    except BadUrl:
        return None


def _belongs(run: _Import, entity: WebEntity, url: str) -> bool:
    lru = _lru(run, url)
    owner = None if lru is None else run.structure.find_owner(lru)
    return owner is not None and owner.web_entity_id == entity.web_entity_id
