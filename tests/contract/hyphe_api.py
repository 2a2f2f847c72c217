"""What clients of Hyphe expect of each method: parameters in order, and the shape of results.

hyphe_api.json holds the facts; `faults` checks a value against the subset of JSON Schema they are written in.
"""

from __future__ import annotations

import json
from dataclasses import dataclass
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


def faults(
    value: Any, schema: dict[str, Any], where: str = "result", definitions: dict[str, Any] = DEFINITIONS
) -> list[str]:
    """What in a value differs from a schema, whose references are looked up by their last part."""
    return _Check(definitions).faults(value, schema, where)


@dataclass(frozen=True)
class _Check:
    definitions: dict[str, Any]

    def faults(self, value: Any, schema: dict[str, Any], where: str) -> list[str]:
        if "$ref" in schema:
            return self.faults(value, self.definitions[schema["$ref"].rpartition("/")[2]], where)
        if "anyOf" in schema:
            tried = [self.faults(value, option, where) for option in schema["anyOf"]]
            return [] if any(not found for found in tried) else min(tried, key=len)
        if "const" in schema:
            return [] if value == schema["const"] else [f"{where}: {value!r} is not {schema['const']!r}"]
        if "enum" in schema:
            return [] if value in schema["enum"] else [f"{where}: {value!r} is none of {schema['enum']}"]
        if "type" in schema and not _has_type(value, schema["type"]):
            return [f"{where}: {str(value)[:80]!r} is not of type {schema['type']}"]
        return [*self._of_object(value, schema, where), *self._of_array(value, schema, where)]

    def _of_object(self, value: Any, schema: dict[str, Any], where: str) -> list[str]:
        if not isinstance(value, dict):
            return []
        properties = schema.get("properties", {})
        found = [f"{where}.{name} is missing" for name in schema.get("required", []) if name not in value]
        for name, inner in value.items():
            if name in properties:
                found += self.faults(inner, properties[name], f"{where}.{name}")
            elif isinstance(schema.get("additionalProperties"), dict):
                found += self.faults(inner, schema["additionalProperties"], f"{where}.{name}")
        return found

    def _of_array(self, value: Any, schema: dict[str, Any], where: str) -> list[str]:
        if not isinstance(value, list):
            return []
        least, most = schema.get("minItems", 0), schema.get("maxItems", len(value))
        found = [] if least <= len(value) <= most else [f"{where} has {len(value)} members"]
        for position, inner in enumerate(value):
            prefix = schema.get("prefixItems", [])
            item = prefix[position] if position < len(prefix) else schema.get("items")
            if item is not None:
                found += self.faults(inner, item, f"{where}[{position}]")
        return found


def _has_type(value: Any, names: str | list[str]) -> bool:
    wanted = [names] if isinstance(names, str) else names
    if isinstance(value, bool):
        return "boolean" in wanted
    return any(isinstance(value, _TYPES[name]) for name in wanted)
