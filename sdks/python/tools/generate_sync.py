"""The sync face of the client out of the async one: every public method, with the same signature."""

from __future__ import annotations

import ast
from pathlib import Path

#: Where the calls are, and the class of the sync face that each becomes.
PARTS = {
    "definitions.py": ("DefinitionCalls", "SyncDefinitionCalls"),
    "instances.py": ("InstanceCalls", "SyncInstanceCalls"),
    "people.py": ("PeopleCalls", "SyncPeopleCalls"),
    "queue.py": ("QueueCalls", "SyncQueueCalls"),
    "worker_calls.py": ("WorkerCalls", "SyncWorkerCalls"),
    "flow.py": ("FlowClient", "SyncFlowClient"),
    "dead_letters.py": ("DeadLetterClient", "SyncDeadLetterClient"),
    "events.py": ("EventClient", "SyncEventClient"),
    "schedules.py": ("ScheduleClient", "SyncScheduleClient"),
    "observability.py": ("ObservabilityClient", "SyncObservabilityClient"),
}

HEAD = '''"""The sync face of the client. Generated from millrace/client: do not edit."""

from __future__ import annotations

import builtins
from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any, Literal

from millrace._generated.types import *  # noqa: F403
from millrace.client.sync_part import SyncPart
from millrace.transport.call import CallOptions, ChangeOptions

if TYPE_CHECKING:
    from typing_extensions import Unpack

'''


def render_class(source: str, name: str, sync_name: str) -> str:
    classes = [node for node in ast.parse(source).body if isinstance(node, ast.ClassDef) and node.name == name]
    methods = [node for node in classes[0].body if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)]
    public = [_method(node) for node in methods if not node.name.startswith("_")]
    return f"\nclass {sync_name}(SyncPart):\n" + "\n".join(public)


def _method(node: ast.FunctionDef | ast.AsyncFunctionDef) -> str:
    returns = ast.unparse(node.returns) if node.returns else "None"
    iterates = returns.startswith("AsyncIterator")
    runner = "_each" if iterates else "_run"
    # Inside a class with a method `list`, the name means that method.
    returns = returns.replace("AsyncIterator", "Iterator").replace("list[", "builtins.list[")
    call = f"self._of.{node.name}({_passed(node.args)})"
    doc = ast.get_docstring(node)
    lines = [f"    def {node.name}({ast.unparse(node.args)}) -> {returns}:"]
    if doc:
        lines.append(f'        """{doc}"""')
    if returns == "None":
        lines.append(f"        self.{runner}({call})\n")
    else:
        lines.append(f"        answer: {returns} = self.{runner}({call})\n        return answer\n")
    return "\n".join(lines)


def _passed(arguments: ast.arguments) -> str:
    positional = [argument.arg for argument in arguments.args[1:]]
    named = [f"{argument.arg}={argument.arg}" for argument in arguments.kwonlyargs]
    options = [f"**{arguments.kwarg.arg}"] if arguments.kwarg else []
    return ", ".join([*positional, *named, *options])


def generate_sync(client: Path, generated: Path) -> None:
    classes = [render_class((client / file).read_text(encoding="utf-8"), *names) for file, names in PARTS.items()]
    (generated / "sync_parts.py").write_text(HEAD + "\n".join(classes), encoding="utf-8")
