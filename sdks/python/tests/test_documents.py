"""The Python in the documents is checked by mypy; what the package exports has a docstring; every route has a call."""

import inspect
import re
import textwrap
from pathlib import Path

import pytest
from mypy import api

import millrace
from millrace._generated.routes import ROUTES

ROOT = Path(__file__).parents[3]
DOCUMENTS = [ROOT / "README.md", ROOT / "sdks/python/README.md", *sorted((ROOT / "docs").rglob("*.md"))]

#: What the code in a document may take for granted.
AROUND = """
import asyncio
import os
import signal
from typing import Any

from millrace import *
from millrace.types import *


class Bank:
    async def charge(self, variables: dict[str, Any], idempotency_key: str) -> str:
        return ""


bank = Bank()
client = EngineClient("http://127.0.0.1:8080")
instance_id = ""
"""

#: People, operators, browsers and probes use these, or the client uses the route beside them.
NOT_FOR_CLIENTS = {
    "completeJobByBody", "failJobByBody", "getDashboardFile", "getHealth", "getDebugConfig",
    "getMetrics", "getOpenApi", "openDashboard",
    "openDocs", "openStream", "openUi", "signIn", "signOut",
    "registerUser", "login", "changePassword", "startProviderSignIn", "finishProviderSignIn", "getTokenKeys",
    "listApiKeys", "createApiKey", "revokeApiKey", "getGuard", "listBlocks", "getShadowMode", "setShadowMode",
    "getShadowStats", "getShadowReport", "blockAddress", "unblockAddress", "softBlockAddress", "pardonAddress",
    "pardonClient", "blockAgent", "unblockAgent", "getBlockStatus", "getClientStatus",
}  # fmt: skip


def code_in(document: Path) -> list[tuple[int, str]]:
    """The fenced pieces of Python, with their first line."""
    text = document.read_text()
    found = re.finditer(r"^```python\n(.*?)^```", text, re.MULTILINE | re.DOTALL)
    return [(text.count("\n", 0, piece.start(1)) + 1, piece.group(1)) for piece in found]


def test_the_code_in_the_documents_is_checked(tmp_path):
    pieces = [(document, line, code) for document in DOCUMENTS for line, code in code_in(document)]
    assert len(pieces) >= 5
    program = AROUND
    for number, (document, line, code) in enumerate(pieces):
        program += f"\n\nasync def piece_{number}() -> None:  # {document.name}:{line}\n" + textwrap.indent(
            code, "    "
        )
    file = tmp_path / "pieces.py"
    file.write_text(program)
    out, errors, status = api.run([str(file), "--config-file", "", "--cache-dir", str(tmp_path / "cache")])
    assert status == 0, f"{out}{errors}"


def exported() -> list[tuple[str, object]]:
    # Job is generated and has the words of the contract, by field.
    names = [(name, getattr(millrace, name)) for name in millrace.__all__ if name not in ("Job", "__version__")]
    return [(name, thing) for name, thing in names if inspect.isclass(thing) or inspect.isfunction(thing)]


@pytest.mark.parametrize(("name", "thing"), exported())
def test_what_is_exported_has_a_docstring(name, thing):
    text = thing.__doc__ or ""
    # A dataclass without one has its signature instead.
    assert text, f"{name} has no docstring"
    assert not text.startswith(f"{name}("), f"{name} has no docstring of its own"


def test_every_route_of_the_contract_has_a_call():
    """C-104: every route of the contract has a call."""
    sources = "".join(file.read_text() for file in (Path(millrace.__file__).parent / "client").glob("*.py"))
    assert {operation for operation in ROUTES if f'"{operation}"' not in sources} == NOT_FOR_CLIENTS
