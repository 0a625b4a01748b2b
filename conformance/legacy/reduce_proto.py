"""Makes engine.proto of the legacy clients out of the contract: what is numbered below 100, and what that needs.

`python3 reduce_proto.py` writes it beside this file; with `--check` it ends with 1 when the file there is another.
"""

from __future__ import annotations

import re
import sys
from pathlib import Path

HERE = Path(__file__).resolve().parent
CONTRACT = HERE.parent.parent / "contracts" / "workflow" / "v1" / "engine.proto"
REDUCED = HERE / "engine.proto"

#: The calls that existing clients have; the service's other ones are Millrace's own.
CALLS = [
    "UploadDefinition",
    "GetDefinition",
    "ListDefinitions",
    "StartInstance",
    "GetInstance",
    "GetInstanceHistory",
    "CancelInstance",
    "ListInstances",
    "PollJobs",
    "CompleteJob",
    "FailJob",
    "CompleteUserTask",
    "SignalWait",
]

BLOCK = re.compile(r"^(message|enum) (\w+) \{(.*?)\}$", re.MULTILINE | re.DOTALL)
FIELD = re.compile(r"^\s*(?:repeated |optional )?(map<string, [\w.]+>|[\w.]+) (\w+) = (\d+);", re.MULTILINE)
HEAD = """// The contract as existing clients know it: numbers below 100 only. Made by reduce_proto.py: do not edit.
syntax = "proto3";

package workflow.v1;

import "google/protobuf/struct.proto";
import "google/protobuf/timestamp.proto";
"""


def reduced(contract: str) -> str:
    text = re.sub(r"^\s*//.*\n", "", contract, flags=re.MULTILINE)
    blocks = {name: (kind, _below_100(inner)) for kind, name, inner in BLOCK.findall(text)}
    kept = _reachable(blocks)
    calls = "\n".join(f"  rpc {call}({call}Request) returns ({call}Response);" for call in CALLS)
    parts = [f"{kind} {name} {{{inner}}}" for name, (kind, inner) in blocks.items() if name in kept]
    return HEAD + f"\nservice WorkflowEngine {{\n{calls}\n}}\n\n" + "\n\n".join(parts) + "\n"


def _below_100(inner: str) -> str:
    lines = [line for line in inner.splitlines() if not (re.search(r"= (\d{3,});", line)) and line.strip()]
    return "\n" + "\n".join(lines) + "\n" if lines else ""


def _reachable(blocks: dict[str, tuple[str, str]]) -> set[str]:
    kept: set[str] = set()
    waiting = [f"{call}{side}" for call in CALLS for side in ("Request", "Response")]
    while waiting:
        name = waiting.pop()
        if name in blocks and name not in kept:
            kept.add(name)
            waiting += [word for kind, _, _ in FIELD.findall(blocks[name][1]) for word in re.findall(r"\w+", kind)]
    return kept


def main() -> int:
    text = reduced(CONTRACT.read_text(encoding="utf-8"))
    if "--check" in sys.argv:
        return 0 if REDUCED.exists() and REDUCED.read_text(encoding="utf-8") == text else 1
    REDUCED.write_text(text, encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
