"""Makes src/millrace/_generated from the contracts before the package is built or installed in place."""

from __future__ import annotations

import sys
from importlib.resources import files
from pathlib import Path
from typing import Any

from hatchling.builders.hooks.plugin.interface import BuildHookInterface

HERE = Path(__file__).resolve().parent
CONTRACTS = HERE.parent.parent / "contracts"
GENERATED = HERE / "src" / "millrace" / "_generated"


class GenerateHook(BuildHookInterface[Any]):
    PLUGIN_NAME = "custom"

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        del version, build_data
        # A source distribution carries the generated files and has no contracts beside it.
        if CONTRACTS.exists():
            generate()
        elif not (GENERATED / "engine_pb2.py").exists():
            raise RuntimeError(f"neither {CONTRACTS} nor what is generated from it is here")


def generate() -> None:
    # Imported here: what only reads this file for its metadata has neither of them.
    sys.path.insert(0, str(HERE / "tools"))
    from generate_sync import generate_sync
    from generate_wire import generate_wire
    from grpc_tools import protoc

    generate_wire(CONTRACTS, GENERATED)
    generate_sync(HERE / "src" / "millrace" / "client", GENERATED)
    proto = CONTRACTS / "workflow" / "v1" / "engine.proto"
    includes = [f"-I{proto.parent}", f"-I{files('grpc_tools') / '_proto'}"]
    outputs = [f"--python_out={GENERATED}", f"--pyi_out={GENERATED}"]
    if protoc.main(["protoc", *includes, *outputs, proto.name]) != 0:
        raise RuntimeError(f"protoc could not read {proto}")


if __name__ == "__main__":
    generate()
