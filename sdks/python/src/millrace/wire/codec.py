"""Turns JSON into the dataclasses of `types` and back. Unknown fields are ignored, absent ones are None."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Mapping
from dataclasses import fields, is_dataclass
from functools import cache
from typing import Any, TypeVar, Union, cast, get_args, get_origin, get_type_hints

from millrace.wire.names import camel, name_on_wire

T = TypeVar("T")
Convert = Callable[[Any], Any]


def decode(shape: type[T], value: Any) -> T:
    """`value` is a JSON object as an engine answers it."""
    return shape(**{name: convert(value.get(wire)) for name, wire, convert in _plan(cast(Hashable, shape))})


def encode(value: Any) -> Any:
    """The JSON of a dataclass of `types`; what is None is left out. Anything else stays as it is."""
    if is_dataclass(value) and not isinstance(value, type):
        named = ((name_on_wire(field), getattr(value, field.name)) for field in fields(value))
        return {name: encode(inner) for name, inner in named if inner is not None}
    if isinstance(value, list | tuple):
        return [encode(inner) for inner in value]
    return value


def body(**given: Any) -> dict[str, Any]:
    """A request from keyword arguments: names in camelCase, None left out."""
    return {camel(name): encode(value) for name, value in given.items() if value is not None}


def snake_body(given: Mapping[str, Any]) -> dict[str, Any]:
    """A request of the queue's routes, which keep snake_case."""
    return {name: encode(value) for name, value in given.items() if value is not None}


@cache
def _plan(shape: Any) -> list[tuple[str, str, Convert]]:
    hints = get_type_hints(shape)
    return [(field.name, name_on_wire(field), _converter(hints[field.name])) for field in fields(shape)]


def _converter(hint: Any) -> Convert:
    """Nested dataclasses and lists of them are decoded; everything else is JSON already."""
    for candidate in _alternatives(hint):
        if is_dataclass(candidate):
            return _nested(cast(type[Any], candidate))
        if get_origin(candidate) is list and is_dataclass(get_args(candidate)[0]):
            one = _nested(get_args(candidate)[0])
            return lambda items, one=one: None if items is None else [one(item) for item in items]  # type: ignore[misc]
    return lambda value: value


def _nested(shape: type[Any]) -> Convert:
    return lambda value: None if value is None else decode(shape, value)


def _alternatives(hint: Any) -> tuple[Any, ...]:
    # `X | None` is types.UnionType, which get_origin gives as it is; only its arguments matter.
    return get_args(hint) if get_origin(hint) is Union or type(hint).__name__ == "UnionType" else (hint,)
