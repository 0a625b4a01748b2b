"""JSON to google.protobuf and back: Struct, Value, Timestamp. Numbers are doubles there; whole ones come back whole."""

from __future__ import annotations

import json
import math
from collections.abc import Mapping, Sequence
from datetime import timezone
from typing import Any

from google.protobuf.message import DecodeError
from google.protobuf.struct_pb2 import NULL_VALUE, ListValue, Struct, Value
from google.protobuf.timestamp_pb2 import Timestamp

from millrace.errors import UsageError

_LARGEST_WHOLE = 2**53


def to_struct(given: Mapping[str, Any]) -> Struct:
    try:
        return Struct(fields={_name(name): to_value(value) for name, value in given.items()})
    except (UnicodeEncodeError, OverflowError) as error:
        raise UsageError(f"this cannot be sent as JSON: {error}") from error
    except (DecodeError, RecursionError) as error:
        raise _too_deep() from error


def to_value(given: Any) -> Value:
    if given is None:
        return Value(null_value=NULL_VALUE)
    if isinstance(given, bool):
        return Value(bool_value=given)
    if isinstance(given, int | float) and math.isfinite(given):
        return Value(number_value=float(given))
    if isinstance(given, str):
        return Value(string_value=given)
    if isinstance(given, Mapping):
        return Value(struct_value=to_struct(given))
    if isinstance(given, list | tuple):
        return Value(list_value=_list(given))
    raise UsageError(f"this cannot be sent as JSON: {given!r} of type {type(given).__name__}")


def _list(given: Sequence[Any]) -> ListValue:
    try:
        return ListValue(values=[to_value(item) for item in given])
    except (DecodeError, RecursionError) as error:
        raise _too_deep() from error


def _too_deep() -> UsageError:
    """Messages of more than 100 levels are not read by any end of gRPC; an object takes three of them."""
    return UsageError("this cannot be sent over gRPC, because it is nested too deeply: send a flatter value")


def from_struct(struct: Struct) -> dict[str, Any]:
    return {name: from_value(value) for name, value in struct.fields.items()}


def from_value(value: Value) -> Any:
    kind = value.WhichOneof("kind")
    if kind == "number_value":
        return _number(value.number_value)
    if kind == "struct_value":
        return from_struct(value.struct_value)
    if kind == "list_value":
        return [from_value(item) for item in value.list_value.values]
    return None if kind in ("null_value", None) else getattr(value, kind)


def from_timestamp(timestamp: Timestamp) -> str:
    """As REST writes times: UTC with milliseconds."""
    moment = timestamp.ToDatetime(tzinfo=timezone.utc)
    return moment.isoformat(timespec="milliseconds").replace("+00:00", "Z")


def to_timestamp(time: str) -> Timestamp:
    timestamp = Timestamp()
    try:
        timestamp.FromJsonString(time)
    except ValueError as error:
        raise UsageError(f"{time!r} is no time of RFC 3339") from error
    return timestamp


def _name(name: Any) -> str:
    """As `json.dumps` does: numbers, booleans and None become the strings that JSON has for them."""
    if isinstance(name, str):
        return name
    if name is None or (isinstance(name, int | float) and math.isfinite(name)):
        return json.dumps(name)
    raise UsageError(f"this cannot be sent as JSON: the name {name!r} is no string")


def _number(number: float) -> int | float:
    return int(number) if number.is_integer() and abs(number) <= _LARGEST_WHOLE else number
