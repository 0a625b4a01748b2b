"""The commands of the worker: one Runner at a time, its handlers made from scripts, every delivery written down."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from typing import Any

from millrace import EngineClient, Handler, HandlerContext, Job, Kafka, KafkaRunner, Runner
from millrace_conformance.handler_script import Script, run_script

Delivery = dict[str, Any]


class WorkerCommands:
    def __init__(self, engine: Callable[[], EngineClient]) -> None:
        self._engine = engine
        self._deliveries: list[Delivery] = []
        self._gates: dict[str, asyncio.Event] = {}
        self._runner: Runner | None = None

    def commands(self) -> dict[str, Callable[[dict[str, Any]], Awaitable[Any]]]:
        return {
            "startWorker": self._start,
            "handled": self._handled,
            "release": self._release,
            "stopWorker": self.stop,
        }

    async def stop(self, given: dict[str, Any]) -> dict[str, Any]:
        runner, self._runner = self._runner, None
        if runner is None:
            return {"drained": True}
        return {"drained": (await runner.stop(given.get("timeoutSeconds"))).drained}

    async def _start(self, given: dict[str, Any]) -> None:
        if self._runner is not None:
            raise LookupError("a worker is running already")
        names = {"concurrency": "concurrency", "leaseSeconds": "lease_seconds"}
        options: Any = {name: given[wire] for wire, name in names.items() if wire in given}
        handlers = {job_type: self._recorded(script) for job_type, script in given["handlers"].items()}
        if given["mode"] == "kafka":
            options["kafka"] = Kafka(brokers=given["brokers"], transport="plaintext")
        else:
            options["mode"] = given["mode"]
        kind: Callable[..., Runner] = KafkaRunner if given["mode"] == "kafka" else Runner
        runner = kind(self._engine(), handlers, worker_id=given["workerId"], **options)
        runner.start()
        self._runner = runner

    async def _handled(self, _: dict[str, Any]) -> dict[str, Any]:
        return {"items": self._deliveries}

    async def _release(self, given: dict[str, Any]) -> None:
        self._gate(given["name"]).set()

    def _gate(self, name: str) -> asyncio.Event:
        """What the harness has let go stays open, also for those who come later."""
        return self._gates.setdefault(name, asyncio.Event())

    def _recorded(self, script: Script) -> Handler:
        async def handle(job: Job, context: HandlerContext) -> dict[str, Any]:
            delivery = _delivery(job)
            self._deliveries.append(delivery)
            context.cancellation.on_fire(lambda: _end(delivery, "cancelled"))
            # The SDK cancels a coroutine that is told to stop; a script goes on to its end.
            running = asyncio.ensure_future(run_script(script, job, context, self._released))
            try:
                returned = await _to_its_end(running)
            except Exception:
                _end(delivery, "threw")
                raise
            _end(delivery, "returned")
            return returned

        return handle

    async def _released(self, name: str) -> None:
        await self._gate(name).wait()


async def _to_its_end(running: asyncio.Future[dict[str, Any]]) -> dict[str, Any]:
    while not running.done():
        try:
            await asyncio.shield(running)
        except asyncio.CancelledError:
            continue
        except Exception:
            break
    return running.result()


def _delivery(job: Job) -> Delivery:
    return {
        "jobId": job.id,
        "jobType": job.job_type,
        "instanceId": job.instance_id,
        "stepId": job.step_id,
        "stepExecutionId": job.step_execution_id,
        "attempt": job.attempt,
        "retriesRemaining": job.retries_remaining,
        "idempotencyKey": job.idempotency_key,
        "state": "started",
    }


def _end(delivery: Delivery, state: str) -> None:
    """The first end of a delivery is the one that is told."""
    if delivery["state"] == "started":
        delivery["state"] = state
