"""The names of fields: snake_case in Python, as the contract says on the wire."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import Field
from typing import Any

_WIRE = "wire"
_LETTER_AFTER_UNDERSCORE = re.compile(r"_([a-z])")


def wire_name(name: str) -> Mapping[str, str]:
    """Metadata of a field whose name on the wire is not its own in camelCase."""
    return {_WIRE: name}


def camel(name: str) -> str:
    return _LETTER_AFTER_UNDERSCORE.sub(lambda match: match[1].upper(), name)


def name_on_wire(field: Field[Any]) -> str:
    return str(field.metadata.get(_WIRE) or camel(field.name))
