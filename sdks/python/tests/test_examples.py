"""Every example runs against a real engine. Needs the engine's build and MILLRACE_FULL_TESTS=1."""

import os
import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

HERE = Path(__file__).parents[1]
ENGINE = HERE.parents[1] / "engine" / "dist" / "cli.js"

pytestmark = pytest.mark.skipif(
    os.environ.get("MILLRACE_FULL_TESTS") != "1" or not ENGINE.exists(),
    reason="needs MILLRACE_FULL_TESTS=1 and a build",
)


@pytest.fixture(scope="module")
def engine_url(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    folder = tmp_path_factory.mktemp("engine")
    ports = {"WE_REST_PORT": "0", "WE_METRICS_PORT": "0", "WE_GRPC_PORT": "0"}
    process = subprocess.Popen(
        ["node", str(ENGINE), "dev"],
        cwd=folder,
        env={**os.environ, **ports},
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
        text=True,
    )
    try:
        yield _address(process)
    finally:
        process.terminate()
        process.communicate()


def _address(process: "subprocess.Popen[str]") -> str:
    assert process.stderr is not None
    for line in process.stderr:
        if found := re.search(r"REST\s+(http://\S+)", line):
            return found[1]
    raise AssertionError("the engine ended without an address")


@pytest.mark.parametrize(
    ("name", "lines"),
    [
        ("first_worker", ["COMPLETED Hello, Ada!"]),
        (
            "order_workflow",
            ["0 COMPLETED none needed", r"42 COMPLETED R-\d+", "99999 FAILED .*the card's limit is 10,000.*"],
        ),
        ("user_task", ["COMPLETED .*'approved': True.*"]),
        ("signal", ["waits: .*", "waits: .*", "COMPLETED .*'receipt': 'R-1'.*"]),
    ],
)
def test_an_example_prints_what_it_should(engine_url, name, lines):
    run = subprocess.run(
        [sys.executable, HERE / "examples" / name],
        env={**os.environ, "MILLRACE_URL": engine_url},
        capture_output=True,
        text=True,
        check=True,
    )
    said = run.stdout.splitlines()
    assert len(said) == len(lines)
    for line, pattern in zip(said, lines, strict=True):
        assert re.fullmatch(pattern, line)
