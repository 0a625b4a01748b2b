"""Reads commands, has each done on a thread of its own, writes the answers as they come."""

from __future__ import annotations

import json
import signal
import sys
import threading
from collections.abc import Callable
from typing import Any, Protocol

from legacy_client.definition import check_definition
from legacy_client.handling import Gates, Handling
from legacy_client.refusal import NotSayable, Refused, only
from legacy_client.rest_client import RestClient
from legacy_client.worker import LegacyWorker

Json = dict[str, Any]
_DRAIN_SECONDS = 30.0


class Worker(Protocol):
    def stop(self, timeout: float) -> bool: ...


class Program:
    def __init__(self) -> None:
        self._engine: Any = None
        self._worker: Worker | None = None
        self._gates = Gates()
        self._deliveries: list[Json] = []
        self._writing = threading.Lock()

    def run(self) -> int:
        signal.signal(signal.SIGTERM, self._end)
        for line in sys.stdin:
            try:
                command = json.loads(line)
            except ValueError:
                sys.stderr.write(f"not JSON: {line}\n")
                return 2
            threading.Thread(target=self._serve, args=(command,), daemon=True).start()
        return 0 if self._stop({})["drained"] else 1

    def _end(self, *_: object) -> None:
        raise SystemExit(0 if self._stop({})["drained"] else 1)

    def _serve(self, command: Json) -> None:
        try:
            answer = {"id": command["id"], "ok": self._obey(command["do"], command.get("with") or {})}
        except Refused as error:
            answer = _error(command, error.code, error, error.retryable)
        except Exception as error:
            answer = _error(command, "client", error, False)
        with self._writing:
            sys.stdout.write(json.dumps(answer) + "\n")
            sys.stdout.flush()

    def _obey(self, name: str, given: Json) -> Any:
        commands: dict[str, Callable[[Json], Any]] = {
            "open": self._open,
            "close": self._close,
            "startWorker": self._start_worker,
            "handled": lambda _: {"items": self._deliveries},
            "release": lambda given: self._gates.of(given["name"]).set(),
            "stopWorker": self._stop,
        }
        if name in commands:
            return commands[name](given)
        if name not in _CALLS:
            raise NotSayable(name)
        return _CALLS[name](self._open_engine(), given)

    def _open_engine(self) -> Any:
        if self._engine is None:
            raise LookupError("no client is open")
        return self._engine

    def _open(self, given: Json) -> None:
        only(given, "url", "restUrl")
        url = given["url"].split(",")[0]
        if url.startswith("grpc"):
            from legacy_client.grpc_client import GrpcClient

            self._engine = GrpcClient(url)
        else:
            self._engine = RestClient(url)

    def _close(self, _: Json) -> None:
        engine, self._engine = self._engine, None
        if engine is not None:
            engine.close()

    def _start_worker(self, given: Json) -> None:
        if self._worker is not None:
            raise LookupError("a worker is running already")
        only(given, "workerId", "mode", "handlers", "concurrency", "leaseSeconds", "brokers")
        handling = Handling(self._open_engine(), given, self._gates, self._deliveries)
        self._worker = _make_worker(handling, given)

    def _stop(self, given: Json) -> Json:
        worker, self._worker = self._worker, None
        return {"drained": worker is None or worker.stop(given.get("timeoutSeconds", _DRAIN_SECONDS))}


def _make_worker(handling: Handling, given: Json) -> Worker:
    if given["mode"] == "poll":
        return LegacyWorker(handling, given)
    if given["mode"] == "kafka":
        from legacy_client.kafka_worker import LegacyKafkaWorker

        return LegacyKafkaWorker(handling, given)
    raise NotSayable(f"mode {given['mode']}")


def _error(command: Json, code: str, error: Exception, retryable: bool) -> Json:
    said = {"code": code, "message": str(error) or type(error).__name__, "retryable": retryable}
    return {"id": command.get("id"), "error": said}


def _upload(engine: Any, given: Json) -> Any:
    check_definition(given["definition"])
    return engine.upload_definition(given["definition"])


def _start(engine: Any, given: Json) -> Any:
    only(given, "definitionId", "definitionVersion", "variables", "businessKey")
    return engine.start_instance(given)


def _list_instances(engine: Any, given: Json) -> Any:
    only(given, "definitionId", "status", "businessKey", "page", "pageSize")
    return engine.list_instances(given)


def _poll(engine: Any, given: Json) -> Any:
    only(given, "workerId", "jobTypes", "maxJobs", "leaseSeconds")
    asked = (given.get("maxJobs", 64), given.get("leaseSeconds", 0))
    return {"jobs": engine.poll(given["workerId"], given["jobTypes"], *asked)}


def _complete(engine: Any, given: Json) -> None:
    only(given, "jobId", "workerId", "variables")
    engine.complete(given["jobId"], given["workerId"], given.get("variables") or {})


def _fail(engine: Any, given: Json) -> None:
    only(given, "jobId", "workerId", "retryable", "errorMessage")
    failure = {name: given[name] for name in ("retryable", "errorMessage") if name in given}
    engine.fail(given["jobId"], given["workerId"], failure)


_CALLS: dict[str, Callable[[Any, Json], Any]] = {
    "uploadDefinition": _upload,
    "getDefinition": lambda engine, given: engine.get_definition(given["id"], given.get("version")),
    "listDefinitions": lambda engine, given: engine.list_definitions(given),
    "startInstance": _start,
    "getInstance": lambda engine, given: engine.get_instance(given["id"]),
    "listInstances": _list_instances,
    "getHistory": lambda engine, given: engine.get_history(given["id"]),
    "cancelInstance": lambda engine, given: engine.cancel_instance(given["id"], given.get("reason")),
    "completeUserTask": lambda engine, given: engine.complete_user_task(given["instanceId"], given["stepId"], given),
    "signal": lambda engine, given: engine.signal(given["instanceId"], given["stepId"], given.get("variables") or {}),
    "poll": _poll,
    "complete": _complete,
    "fail": _fail,
    "discover": lambda engine, _: engine.discover(),
}
