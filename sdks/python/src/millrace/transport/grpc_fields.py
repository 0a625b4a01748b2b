"""Messages by tables of fields: the name in JSON, the name in the message, and how a value goes over and back."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from difflib import get_close_matches
from typing import Any

from google.protobuf.message import Message

from millrace.errors import UsageError
from millrace.transport.struct_values import from_struct, from_timestamp, from_value, to_struct, to_timestamp, to_value


def _same(value: Any) -> Any:
    return value


@dataclass(frozen=True)
class Field:
    json: str
    message: str
    to: Callable[[Any], Any] = _same
    back: Callable[[Any], Any] = _same
    #: In JSON even when it is empty or zero.
    always: bool = False
    #: The message tells whether it was given.
    nested: bool = False


class Shape:
    """How one kind of message is written and read."""

    def __init__(self, make: Callable[..., Message], *fields: Field) -> None:
        self._make = make
        self._fields = fields
        self._by_json = {field.json: field for field in fields}

    def encode(self, given: Mapping[str, Any]) -> Any:
        """Refuses a field that the contract does not have: on this wire it would be lost without a word."""
        values: dict[str, Any] = {}
        for name, value in given.items():
            field = self._by_json.get(name)
            if field is None:
                raise UsageError(self._unknown(name))
            if value is not None:
                values[field.message] = field.to(value)
        try:
            return self._make(**values)
        except (TypeError, ValueError) as error:
            raise UsageError(f"this does not fit the contract: {error}") from error

    def decode(self, message: Any) -> dict[str, Any]:
        found = ((field, _given(field, message)) for field in self._fields)
        return {field.json: field.back(value) for field, value in found if value is not None}

    def _unknown(self, name: str) -> str:
        close = get_close_matches(name, self._by_json, n=1)
        return f"unknown field {name!r}" + (f"; did you mean {close[0]!r}?" if close else "")


def _given(field: Field, message: Any) -> Any:
    """None where it is "not given", which proto3 spells as empty or zero."""
    if field.nested:
        return getattr(message, field.message) if message.HasField(field.message) or field.always else None
    value = getattr(message, field.message)
    return value if value or field.always else None


def plain(json: str, message: str, *, always: bool = False) -> Field:
    return Field(json, message, always=always)


def texts(json: str, message: str, *, always: bool = False) -> Field:
    return Field(json, message, back=list, always=always)


def struct(json: str, message: str, *, always: bool = False) -> Field:
    return Field(json, message, to_struct, from_struct, always=always, nested=True)


def value(json: str, message: str) -> Field:
    return Field(json, message, to_value, from_value, nested=True)


def time(json: str, message: str) -> Field:
    return Field(json, message, to_timestamp, from_timestamp, nested=True)


def enum(json: str, message: str, kind: Any, prefix: str) -> Field:
    """0 is "not given"; the others have their name after the prefix."""

    def number(name: str) -> int:
        known: Sequence[str] = kind.keys()
        if prefix + name not in known:
            raise UsageError(f"{json} has no value {name!r}")
        return int(kind.Value(prefix + name))

    return Field(json, message, number, lambda given: kind.Name(given)[len(prefix) :])


def one(json: str, message: str, shape: Shape) -> Field:
    return Field(json, message, shape.encode, shape.decode, nested=True)


def many(json: str, message: str, shape: Shape, *, always: bool = False) -> Field:
    def encode(items: Sequence[Any]) -> list[Any]:
        return [shape.encode(item) for item in items]

    def decode(items: Sequence[Any]) -> list[Any]:
        return [shape.decode(item) for item in items]

    return Field(json, message, encode, decode, always=always)
