"""Methods on tags: given and taken one by one, many at once, counted.

A tag is (namespace, category, value); people tag in the namespace USER. Counts are those of the entities as
they are: nothing is counted beside them.
"""

from __future__ import annotations

from collections.abc import Sequence

from hyphe_core.api.call import Call
from hyphe_core.api.entities import ENTITY_ID, ENTITY_IDS
from hyphe_core.api.failures import Refusal, refuse_partial
from hyphe_core.api.json_values import JsonObject
from hyphe_core.api.methods import CORPUS, Declare, MethodGroup, Role
from hyphe_core.api.parameters import Flag, Mapping, Parameter, Text
from hyphe_core.api.readings import known_ids, read_categories, read_tags
from hyphe_core.api.schemas import ALL_TAG_COUNTS, INTEGER, MESSAGE, TAG_COUNTS, TEXTS, Schema, either
from hyphe_core.api.views import TagCounts
from memory_structure.records import Tag

methods = MethodGroup("store")

# Words that are free by nature: clients show them apart, and nothing is complete or incomplete by them.
FREE_TAGS = "FREETAGS"
YES, NO = "yes", "no"

_NAMESPACE = Parameter(
    "namespace", Text(max_chars=1000), doc="namespace of the tag: USER for those of people"
)
_CATEGORY = Parameter("category", Text(max_chars=1000), doc="category of the tag")
_VALUE = Parameter("value", Text(), doc="value of the tag")


def _tags(*parameters: Parameter, result: Schema = MESSAGE, returns: str = "a confirmation") -> Declare:
    return methods.method(*parameters, CORPUS, result=result, returns=returns, role=Role.CURATOR)


def _tags_many(*parameters: Parameter) -> Declare:
    returns = "a list of confirmations; when some fail, a failure with errors and results"
    return _tags(ENTITY_IDS, *parameters, result=TEXTS, returns=returns)


# -- giving and taking ------------------------------------------------------------------------------------


@_tags(ENTITY_ID, _NAMESPACE, _CATEGORY, _VALUE)
def add_webentity_tag_value(call: Call, web_entity_id: int, namespace: str, category: str, value: str) -> str:
    """Give a tag to a web entity; one it has already is not counted twice."""
    return _edit(call, [web_entity_id], add=[(namespace, category, value)])[0]


@_tags(
    ENTITY_ID,
    _NAMESPACE,
    Parameter("category_value_dict", Mapping(), doc="category -> value or list of values"),
)
def add_webentity_tags(call: Call, web_entity_id: int, namespace: str, categories: JsonObject) -> str:
    """Give several tags of one namespace to a web entity, in one act."""
    return _edit(call, [web_entity_id], add=read_categories(namespace, categories))[0]


@_tags_many(_NAMESPACE, _CATEGORY, _VALUE)
def add_webentities_tag_value(
    call: Call, web_entity_ids: list[int], namespace: str, category: str, value: str
) -> list[str]:
    """Give a tag to several web entities, in one act; the known ones also when others are unknown."""
    return _edit_known(call, web_entity_ids, add=[(namespace, category, value)])


@_tags(ENTITY_ID, _NAMESPACE, _CATEGORY, _VALUE)
def rm_webentity_tag_value(call: Call, web_entity_id: int, namespace: str, category: str, value: str) -> str:
    """Take a tag from a web entity."""
    return _edit(call, [web_entity_id], remove=[(namespace, category, value)])[0]


@_tags_many(_NAMESPACE, _CATEGORY, _VALUE)
def rm_webentities_tag_value(
    call: Call, web_entity_ids: list[int], namespace: str, category: str, value: str
) -> list[str]:
    """Take a tag from several web entities, in one act; the known ones also when others are unknown."""
    return _edit_known(call, web_entity_ids, remove=[(namespace, category, value)])


def _edit(
    call: Call, web_entity_ids: list[int], *, add: Sequence[Tag] = (), remove: Sequence[Tag] = ()
) -> list[str]:
    call.structure.edit_tags(web_entity_ids, add=add, remove=remove)
    words = [f"has {_shown(tag)}" for tag in add] + [f"no longer has {_shown(tag)}" for tag in remove]
    done = ", ".join(words) or "has the tags it had"
    return [f"Web entity {i} {done}" for i in web_entity_ids]


def _edit_known(
    call: Call, web_entity_ids: list[int], *, add: Sequence[Tag] = (), remove: Sequence[Tag] = ()
) -> list[str]:
    known, errors = known_ids(call, web_entity_ids)
    results = _edit(call, known, add=add, remove=remove)
    refuse_partial(errors, results)
    return results


def _shown(tag: Tag) -> str:
    namespace, category, value = (part.strip() for part in tag)
    return f"{namespace}:{category}={value}"


@_tags(
    ENTITY_ID,
    _NAMESPACE,
    _CATEGORY,
    Parameter("old_value", Text(), doc="the value it has"),
    Parameter("new_value", Text(), doc="the value to put in its place"),
)
def edit_webentity_tag_value(
    call: Call, web_entity_id: int, namespace: str, category: str, old: str, new: str
) -> str:
    """Put one value of a tag in the place of another, in one act."""
    if not call.structure.replace_tag_value([web_entity_id], namespace, category, old, new):
        raise Refusal(f"web entity {web_entity_id} has no tag {_shown((namespace, category, old))}")
    return f"Web entity {web_entity_id} has {_shown((namespace, category, new))}"


_NEW_FORM = "namespace -> category -> value or list of values"
_N_CHANGED = "the number of web entities that changed"


@_tags(
    ENTITY_IDS,
    Parameter("add", Mapping(), {}, f"tags to add: {_NEW_FORM}"),
    Parameter("remove", Mapping(), {}, "tags to remove, in the same form"),
    result=INTEGER,
    returns=_N_CHANGED,
)
def edit_tags(call: Call, web_entity_ids: list[int], add: JsonObject, remove: JsonObject) -> int:
    """Add and remove tags of web entities, in one act: all of them, or none when one is unknown."""
    return call.structure.edit_tags(web_entity_ids, add=read_tags(add), remove=read_tags(remove))


@_tags(
    ENTITY_IDS,
    _CATEGORY,
    Parameter("value", Flag(), None, "true for yes, false for no, null for not looked at yet"),
    Parameter("namespace", Text(max_chars=1000), "USER", "namespace of the tag"),
    result=INTEGER,
    returns=_N_CHANGED,
)
def mark_webentities(
    call: Call, web_entity_ids: list[int], category: str, value: bool | None, namespace: str
) -> int:
    """Answer a question about web entities with yes, no or not looked at, in one act.

    The answer is a tag with the value yes or no; whatever else the category held is left alone.
    """
    marks: dict[bool, Tag] = {True: (namespace, category, YES), False: (namespace, category, NO)}
    add = [] if value is None else [marks[value]]
    remove = [tag for tag in marks.values() if tag not in add]
    return call.structure.edit_tags(web_entity_ids, add=add, remove=remove)


# -- counting ---------------------------------------------------------------------------------------------

_ANY_NAMESPACE = Parameter("namespace", Text(), None, "a namespace; none for all")


@methods.method(
    _ANY_NAMESPACE,
    CORPUS,
    result=either(TAG_COUNTS, ALL_TAG_COUNTS),
    returns="an object: category -> value -> number of entities; without namespace, one for each namespace",
)
def get_tags(call: Call, namespace: str | None) -> TagCounts | dict[str, dict[str, int]]:
    """Count the web entities that have each tag."""
    counts = call.view.tag_counts()
    return counts.get(namespace, {}) if namespace else counts


@methods.method(CORPUS, result=TEXTS, returns="a list of names")
def get_tag_namespaces(call: Call) -> list[str]:
    """List the namespaces of tags in use."""
    return list(call.view.tag_counts())


@methods.method(_ANY_NAMESPACE, CORPUS, result=TEXTS, returns=f"a list of names, {FREE_TAGS} left out")
def get_tag_categories(call: Call, namespace: str | None) -> list[str]:
    """List the categories of tags in use, of one namespace or all."""
    return sorted({c for c, _ in _categories(call, namespace)} - {FREE_TAGS})


@methods.method(
    _ANY_NAMESPACE,
    Parameter("category", Text(), None, "a category; none for all"),
    CORPUS,
    result=TEXTS,
    returns="a list of values",
)
def get_tag_values(call: Call, namespace: str | None, category: str | None) -> list[str]:
    """List the values of tags in use, of one namespace or category or all."""
    found = _categories(call, namespace)
    return sorted({value for c, counts in found if not category or c == category for value in counts})


def _categories(call: Call, namespace: str | None) -> list[tuple[str, dict[str, int]]]:
    counts = call.view.tag_counts()
    chosen = [counts.get(namespace, {})] if namespace else list(counts.values())
    return [pair for categories in chosen for pair in categories.items()]


@methods.method(CORPUS, result=ALL_TAG_COUNTS, returns="the counts of all tags, as get_tags gives them")
def rebuild_tags_dictionary(call: Call) -> TagCounts:
    """Kept for older clients: tags are counted where they are, so there is nothing to build."""
    return call.view.tag_counts()
