"""Kinds of parameters: what each accepts from the wire, how it reads it, and how it is described.

A kind reads a JSON value into a Python value and raises ValueError with words when it does not fit. Lenient
readings are kept because clients rely on them: numbers written as text, texts of digits written as numbers,
flags written "true" or "false"; and, where there is a default, an empty text or false instead of null, which
cannot be written on a command line.
"""

from __future__ import annotations

import json
import math
from abc import ABC, abstractmethod
from dataclasses import dataclass, field
from enum import StrEnum

from hyphe_core.api.json_values import JsonObject

# Beyond this a double of a JavaScript client is no longer exact, and a store's 64 bits are near.
_LARGEST_INTEGER = 2**53
_FLAGS = {"true": True, "1": True, "false": False, "0": False, "": False}


class Kind(ABC):
    """A type of parameter. `label` is its name in the reference, `json_type` its JSON type."""

    label: str
    json_type: str

    @abstractmethod
    def read(self, value: object) -> object:
        """The Python value. Raises ValueError saying what was expected."""

    def is_blank(self, value: object) -> bool:
        """Whether a value says that nothing was chosen, as null does."""
        return value is False or value == ""

    @property
    def schema(self) -> JsonObject:
        """What is accepted, as a JSON schema; lenient readings are left out."""
        return {"type": self.json_type}


@dataclass(frozen=True, slots=True)
class Text(Kind):
    """A text of limited length; also a whole number, as which a command line sends a text of digits."""

    label: str = "text"
    json_type: str = "string"
    max_chars: int = 100_000

    def is_blank(self, value: object) -> bool:
        """False alone: an empty text is a text."""
        return value is False

    def read(self, value: object) -> str:
        """The text as sent."""
        if isinstance(value, int) and not isinstance(value, bool):
            value = str(value)
        if not isinstance(value, str):
            raise ValueError("must be a text")
        if len(value) > self.max_chars:
            raise ValueError(f"has more than {self.max_chars} characters")
        if "\0" in value:
            raise ValueError("holds a NUL character")
        return value


@dataclass(frozen=True, slots=True)
class Integer(Kind):
    """A whole number within bounds; also as text or as 3.0."""

    minimum: int = -_LARGEST_INTEGER
    maximum: int = _LARGEST_INTEGER
    label: str = "integer"
    json_type: str = "integer"

    def read(self, value: object) -> int:
        """The number."""
        number = _whole(value)
        if not self.minimum <= number <= self.maximum:
            raise ValueError(f"must be between {self.minimum} and {self.maximum}")
        return number

    @property
    def schema(self) -> JsonObject:
        """An integer within the bounds that are not merely technical."""
        return {"type": "integer", **_bounds(self.minimum, self.maximum, _LARGEST_INTEGER)}


def _bounds(minimum: float, maximum: float, boundless: float) -> JsonObject:
    least: JsonObject = {} if minimum <= -boundless else {"minimum": minimum}
    return least if maximum >= boundless else least | {"maximum": maximum}


def _whole(value: object) -> int:
    if isinstance(value, bool):
        raise ValueError("must be a whole number")
    if isinstance(value, int):
        return value
    if isinstance(value, float) and value.is_integer():
        return int(value)
    if isinstance(value, str) and len(value) < 20 and value.strip().lstrip("-").isdecimal():
        return int(value)
    raise ValueError("must be a whole number")


@dataclass(frozen=True, slots=True)
class Number(Kind):
    """A finite number within bounds."""

    minimum: float = -math.inf
    maximum: float = math.inf
    label: str = "number"
    json_type: str = "number"

    def read(self, value: object) -> float:
        """The number as a float."""
        if isinstance(value, bool) or not isinstance(value, (int, float)):
            raise ValueError("must be a number")
        if not self.minimum <= value <= self.maximum:
            raise ValueError(f"must be between {self.minimum} and {self.maximum}")
        return float(value)

    @property
    def schema(self) -> JsonObject:
        """A number within its bounds."""
        return {"type": "number", **_bounds(self.minimum, self.maximum, math.inf)}


@dataclass(frozen=True, slots=True)
class Flag(Kind):
    """True or false; also 1, 0, "true", "false" and an empty text."""

    label: str = "boolean"
    json_type: str = "boolean"

    def is_blank(self, value: object) -> bool:
        """Never: both are false."""
        return False

    def read(self, value: object) -> bool:
        """The truth value."""
        if isinstance(value, bool):
            return value
        found = _FLAGS.get(str(value).lower()) if isinstance(value, (str, int)) else None
        if found is None:
            raise ValueError("must be true or false")
        return found


@dataclass(frozen=True, slots=True)
class Choice(Kind):
    """One of the values of an enumeration, in any case."""

    choices: type[StrEnum]
    json_type: str = "string"

    @property
    def label(self) -> str:  # type: ignore[override]  # computed here, a plain attribute elsewhere
        """The values, parted by bars."""
        return " | ".join(self.choices)

    def read(self, value: object) -> StrEnum:
        """The member."""
        if isinstance(value, str):
            for member in self.choices:
                if member.value.lower() == value.strip().lower():
                    return member
        raise ValueError(f"must be one of {', '.join(self.choices)}")

    @property
    def schema(self) -> JsonObject:
        """One of the values."""
        return {"enum": [str(choice) for choice in self.choices]}


@dataclass(frozen=True, slots=True)
class ListOf(Kind):
    """A list of one kind; `or_one` also accepts a single value, `skip_empty` drops null and empty members."""

    member: Kind
    or_one: bool = False
    skip_empty: bool = False
    max_length: int = 100_000
    json_type: str = "array"

    @property
    def label(self) -> str:  # type: ignore[override]  # computed here, a plain attribute elsewhere
        """Named after its members."""
        return f"list of {self.member.label}" + (f", or one {self.member.label}" if self.or_one else "")

    def read(self, value: object) -> list[object]:
        """The list of members as read."""
        values = self._values(value)
        if len(values) > self.max_length:
            raise ValueError(f"has more than {self.max_length} members")
        kept = [v for v in values if not (self.skip_empty and v in (None, ""))]
        return [self._read_member(position, v) for position, v in enumerate(kept)]

    def _values(self, value: object) -> list[object]:
        if isinstance(value, list):
            return value
        if self.or_one:
            return [value]
        raise ValueError("must be a list")

    def _read_member(self, position: int, value: object) -> object:
        try:
            return self.member.read(value)
        except ValueError as error:
            raise ValueError(f"member {position + 1}: {error}") from None

    @property
    def schema(self) -> JsonObject:
        """A list of its members, or one member."""
        many: JsonObject = {"type": "array", "items": self.member.schema}
        return {"anyOf": [many, self.member.schema]} if self.or_one else many


@dataclass(frozen=True, slots=True)
class Mapping(Kind):
    """A JSON object, read further by its method; an empty text or list stands for an empty object."""

    label: str = "object"
    json_type: str = "object"

    def read(self, value: object) -> JsonObject:
        """The object."""
        if value in ("", []):
            return {}
        if not isinstance(value, dict):
            raise ValueError("must be an object")
        return value


@dataclass(frozen=True, slots=True)
class Anything(Kind):
    """Any JSON value; the method says what it makes of it."""

    label: str = "any"
    json_type: str = "any"

    def is_blank(self, value: object) -> bool:
        """Never: the method says what it makes of it."""
        return False

    def read(self, value: object) -> object:
        """The value as sent."""
        return value

    @property
    def schema(self) -> JsonObject:
        """Anything."""
        return {}


class _Required:
    """The default of a parameter that has none."""

    def __repr__(self) -> str:
        return "required"


REQUIRED = _Required()


@dataclass(frozen=True, slots=True)
class Parameter:
    """A parameter of a method: its name on the wire, its kind, its default and what it means.

    `null`, and what else is blank, stands for the default: the Python value that the method receives.
    """

    name: str
    kind: Kind = field(default_factory=Text)
    default: object = REQUIRED
    doc: str = ""

    @property
    def is_required(self) -> bool:
        """Whether callers must give it."""
        return self.default is REQUIRED

    @property
    def shown_default(self) -> str:
        """The default as JSON."""
        return json.dumps(self.default)

    @property
    def schema(self) -> JsonObject:
        """What is accepted, and the default where there is one."""
        return self.kind.schema if self.is_required else {**self.kind.schema, "default": self.default}

    def read(self, value: object) -> object:
        """The Python value for a wire value. Raises ValueError naming the parameter."""
        if value is None and self.is_required:
            raise ValueError(f"{self.name} is required")
        if value is None or (not self.is_required and self.kind.is_blank(value)):
            return self.default
        try:
            return self.kind.read(value)
        except ValueError as error:
            raise ValueError(f"{self.name} {error}") from None


DEFAULT_CORPUS = "--hyphe--"


@dataclass(frozen=True, slots=True)
class CorpusName(Kind):
    """The id of a corpus; null is no corpus, which is not the same as leaving it out."""

    label: str = "corpus id"
    json_type: str = "string"

    def read(self, value: object) -> str | None:
        """The id, None for null and for an empty text."""
        if value is None or value == "":
            return None
        return Text(max_chars=200).read(value)

    @property
    def schema(self) -> JsonObject:
        """A text or null."""
        return {"type": ["string", "null"]}
