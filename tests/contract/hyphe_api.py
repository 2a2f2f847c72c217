"""What clients of Hyphe expect of each method: parameters in order, and the shape of results.

hyphe_api.json holds the facts; `faults` checks a value against the subset of JSON Schema they are written in.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

_DOCUMENT = json.loads((Path(__file__).parent / "hyphe_api.json").read_text("utf-8"))

METHODS: dict[str, Any] = _DOCUMENT["methods"]
DEFINITIONS: dict[str, Any] = _DOCUMENT["definitions"]
_TYPES: dict[str, Any] = {
    "object": dict,
    "array": list,
    "string": str,
    "boolean": bool,
    "null": type(None),
    "integer": int,
    "number": (int, float),
}


def result_faults(method: str, value: Any) -> list[str]:
    """What in a result differs from what clients expect; empty when nothing does."""
    return faults(value, METHODS[method]["result"])


def faults(value: Any, schema: dict[str, Any], where: str = "result") -> list[str]:
    if "$ref" in schema:
        return faults(value, DEFINITIONS[schema["$ref"].rpartition("/")[2]], where)
    if "anyOf" in schema:
        tried = [faults(value, option, where) for option in schema["anyOf"]]
        return [] if any(not found for found in tried) else min(tried, key=len)
    if "const" in schema:
        return [] if value == schema["const"] else [f"{where}: {value!r} is not {schema['const']!r}"]
    if "enum" in schema:
        return [] if value in schema["enum"] else [f"{where}: {value!r} is none of {schema['enum']}"]
    if "type" in schema and not _has_type(value, schema["type"]):
        return [f"{where}: {str(value)[:80]!r} is not of type {schema['type']}"]
    return [*_object_faults(value, schema, where), *_array_faults(value, schema, where)]


def _has_type(value: Any, names: str | list[str]) -> bool:
    wanted = [names] if isinstance(names, str) else names
    if isinstance(value, bool):
        return "boolean" in wanted
    return any(isinstance(value, _TYPES[name]) for name in wanted)


def _object_faults(value: Any, schema: dict[str, Any], where: str) -> list[str]:
    if not isinstance(value, dict):
        return []
    properties = schema.get("properties", {})
    found = [f"{where}.{name} is missing" for name in schema.get("required", []) if name not in value]
    for name, inner in value.items():
        if name in properties:
            found += faults(inner, properties[name], f"{where}.{name}")
        elif isinstance(schema.get("additionalProperties"), dict):
            found += faults(inner, schema["additionalProperties"], f"{where}.{name}")
    return found


def _array_faults(value: Any, schema: dict[str, Any], where: str) -> list[str]:
    if not isinstance(value, list):
        return []
    least, most = schema.get("minItems", 0), schema.get("maxItems", len(value))
    found = [] if least <= len(value) <= most else [f"{where} has {len(value)} members"]
    for position, inner in enumerate(value):
        prefix = schema.get("prefixItems", [])
        item = prefix[position] if position < len(prefix) else schema.get("items")
        if item is not None:
            found += faults(inner, item, f"{where}[{position}]")
    return found
