"""Python out of the REST contract: a dataclass for each shape, the route of each operation, the catalogue of errors."""

from __future__ import annotations

import keyword
import re
from pathlib import Path
from typing import Any

import yaml

# Documents, which travel as they are: a definition and what it consists of, and the contract itself.
DOCUMENTS = {"Definition", "StoredDefinition", "Step", "VariableSchema", "Variables", "ContractDocument"}
DOCUMENT_PARTS = {
    "ServiceTask", "UserTaskStep", "Decision", "Transformation", "Wait", "ParallelGateway", "JoinGateway", "End",
    "ConditionalNextSteps", "BoundaryEvent", "BoundaryEvents", "TimerEvent", "ErrorEvent",
    "RetryPolicy", "StepTimeouts", "TotalTimeout",
}  # fmt: skip
METHODS = ("get", "post", "put", "patch", "delete")
PRIMITIVES = {"string": "str", "integer": "int", "number": "float", "boolean": "bool", "null": "None"}


class Contract:
    def __init__(self, text: str) -> None:
        document = yaml.safe_load(text)
        self.paths: dict[str, Any] = document["paths"]
        self.schemas: dict[str, Any] = document["components"]["schemas"]

    def routes(self) -> dict[str, str]:
        found = {
            operations[method]["operationId"]: f"{method.upper()} {path}"
            for path, operations in self.paths.items()
            for method in METHODS
            if method in operations
        }
        return dict(sorted(found.items()))

    def is_class(self, name: str) -> bool:
        schema = self.schemas[name]
        return name not in DOCUMENTS | DOCUMENT_PARTS and bool(self.members(schema)[0])

    def members(self, schema: dict[str, Any]) -> tuple[dict[str, Any], set[str]]:
        """Properties and required names, those of the parts it is put together from included."""
        if "$ref" in schema:
            return self.members(self.schemas[_name(schema)])
        properties: dict[str, Any] = {}
        required: set[str] = set()
        for part in schema.get("allOf", []):
            inner, needed = self.members(part)
            properties |= inner
            required |= needed
        return properties | schema.get("properties", {}), required | set(schema.get("required", []))

    def type_of(self, schema: dict[str, Any]) -> str:
        if "$ref" in schema:
            return self.type_of_named(_name(schema))
        if "enum" in schema:
            return f"Literal[{', '.join(repr(value) for value in schema['enum'])}]"
        if "const" in schema:
            return f"Literal[{schema['const']!r}]"
        kind = schema.get("type")
        if isinstance(kind, list):
            return " | ".join(self.type_of({**schema, "type": one}) for one in kind)
        if kind == "array":
            return f"list[{self.type_of(schema.get('items', {}))}]"
        if kind == "object":
            return "dict[str, Any]"
        return PRIMITIVES.get(kind or "", "Any")

    def type_of_named(self, name: str) -> str:
        if name in DOCUMENTS | DOCUMENT_PARTS:
            return "dict[str, Any]"
        if self.is_class(name) or "enum" in self.schemas[name]:
            return name
        return self.type_of(self.schemas[name])


def _name(schema: dict[str, Any]) -> str:
    return str(schema["$ref"]).rsplit("/", 1)[-1]


def attribute(wire_name: str) -> str:
    snake = re.sub(r"([A-Z]+)", lambda match: "_" + match[1].lower(), wire_name)
    return snake + "_" if keyword.iskeyword(snake) else snake


def camel(name: str) -> str:
    return re.sub(r"_([a-z])", lambda match: match[1].upper(), name)


def render_class(contract: Contract, name: str) -> str:
    schema = contract.schemas[name]
    properties, required = contract.members(schema)
    aliases = {"workerID", "variablesToSet"}
    lines = [f"@dataclass(frozen=True, kw_only=True)\nclass {name}:", _docstring(schema.get("description"))]
    for wire_name, inner in sorted(properties.items(), key=lambda item: item[0] not in required):
        if wire_name not in aliases:
            lines.append(_field(contract, wire_name, inner, wire_name in required))
    return "\n".join(line for line in lines if line)


def _field(contract: Contract, wire_name: str, schema: dict[str, Any], required: bool) -> str:
    name, kind = attribute(wire_name), contract.type_of(schema)
    named = camel(name) != wire_name
    if not required:
        kind = kind if kind == "Any" or kind.endswith("| None") else f"{kind} | None"
    value = _default(required, f'wire_name("{wire_name}")' if named else None)
    return f"    {name}: {kind}{value}\n{_docstring(schema.get('description'))}".rstrip("\n")


def _default(required: bool, metadata: str | None) -> str:
    if metadata is None:
        return "" if required else " = None"
    return f" = field(metadata={metadata})" if required else f" = field(default=None, metadata={metadata})"


def _docstring(text: str | None) -> str:
    if not text:
        return ""
    words = " ".join(text.split()).replace("\\", "\\\\")
    return f'    """{words}"""\n'


def render_types(contract: Contract) -> str:
    enums = [f"{name} = {contract.type_of(schema)}" for name, schema in contract.schemas.items() if "enum" in schema]
    classes = [render_class(contract, name) for name in contract.schemas if contract.is_class(name)]
    head = (
        '"""What travels over the wire. Generated from contracts/openapi.yaml: do not edit."""\n\n'
        "from __future__ import annotations\n\n"
        "from dataclasses import dataclass, field\n"
        "from typing import Any, Literal\n\n"
        "from millrace.wire.names import wire_name\n\n"
    )
    return head + "\n".join(enums) + "\n\n\n" + "\n\n\n".join(classes) + "\n"


def render_routes(contract: Contract) -> str:
    entries = "\n".join(f'    "{operation}": "{route}",' for operation, route in contract.routes().items())
    return (
        '"""Where each operation is asked. Generated from contracts/openapi.yaml: do not edit."""\n\n'
        "from __future__ import annotations\n\n"
        f"ROUTES: dict[str, str] = {{\n{entries}\n}}\n"
    )


def render_catalogue(text: str) -> str:
    rows = "\n".join(
        f"    {code!r}: Entry({entry['status']}, {entry['grpc']!r}, {entry['retryable']}),"
        for code, entry in yaml.safe_load(text).items()
    )
    return (
        '"""Every code that an engine refuses with. Generated from contracts/errors.yaml: do not edit."""\n\n'
        "from __future__ import annotations\n\n"
        "from typing import NamedTuple\n\n\n"
        "class Entry(NamedTuple):\n    status: int\n    grpc: str\n    retryable: bool\n\n\n"
        f"CATALOGUE: dict[str, Entry] = {{\n{rows}\n}}\n"
    )


def generate_wire(contracts: Path, generated: Path) -> None:
    contract = Contract((contracts / "openapi.yaml").read_text(encoding="utf-8"))
    files = {
        "types.py": render_types(contract),
        "routes.py": render_routes(contract),
        "catalogue.py": render_catalogue((contracts / "errors.yaml").read_text(encoding="utf-8")),
    }
    for name, text in files.items():
        (generated / name).write_text(text, encoding="utf-8")
