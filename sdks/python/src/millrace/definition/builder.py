"""Definitions as code: a small typed builder that produces the JSON of a definition.

flow = Flow("order", "Order")
flow.service_task("charge", "charge-card", retries=3).then("ask")
flow.user_task("ask", assignee_group="ops").then("done")
flow.end("done")
await client.upload_definition(flow.build())
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Literal

from millrace.errors import UsageError
from millrace.types import Priority
from millrace.wire.codec import body

Json = dict[str, Any]
OnError = Literal["fail", "continue"]


def boundary_timer(duration: str, target: str, *, interrupting: bool = False) -> Json:
    """A timer on a step: after `duration` (ISO-8601) `target` runs, instead of the step or beside it."""
    return {"type": "TIMER", "duration": duration, "interrupting": interrupting, "targetStepId": target}


def boundary_error(target: str) -> Json:
    """When the step fails for good, `target` runs in its place with the variable `error`: its `stepId` and `reason`."""
    return {"type": "ERROR", "interrupting": True, "targetStepId": target}


class Step:
    """One step of a flow, to be told what comes after it."""

    def __init__(self, fields: Json) -> None:
        self.fields = fields

    def then(self, step_id: str) -> Step:
        """Without it the path ends after this step."""
        self.fields["nextStep"] = step_id
        return self

    def when(self, condition: str, step_id: str) -> Step:
        """In the order of the calls; the first that is true is taken."""
        self.fields.setdefault("conditionalNextSteps", {})[condition] = step_id
        return self

    def on_timer(self, duration: str, target: str, *, interrupting: bool = False) -> Step:
        timer = boundary_timer(duration, target, interrupting=interrupting)
        self.fields.setdefault("boundaryEvents", []).append(timer)
        return self

    def on_failure(self, target: str) -> Step:
        """Where a failure for good leads; at most one for each step."""
        self.fields.setdefault("boundaryEvents", []).append(boundary_error(target))
        return self


class Flow:
    """The first step is the entry. `build` refuses two steps of one id, and a target that is no step."""

    def __init__(
        self,
        id: str,
        name: str,
        *,
        description: str | None = None,
        input_schema: Mapping[str, Any] | None = None,
        priority: Priority | None = None,
        deadline: str | None = None,
        retain: str | None = None,
        events: bool | None = None,
        next_workflow_id: str | None = None,
        metadata: Mapping[str, Any] | None = None,
    ) -> None:
        chains = True if next_workflow_id is not None else None
        self._fields = body(
            id=id,
            name=name,
            description=description,
            input_schema=input_schema,
            priority=priority,
            deadline=deadline,
            retain=retain,
            events=events,
            auto_start_next_workflow=chains,
            next_workflow_id=next_workflow_id,
            metadata=metadata,
        )
        self._steps: list[Step] = []

    def service_task(
        self,
        id: str,
        job_type: str,
        *,
        name: str | None = None,
        retries: int | None = None,
        retry: Mapping[str, Any] | None = None,
        timeout: Mapping[str, str] | None = None,
        on_error: OnError | None = None,
        priority: Priority | None = None,
        downstream: str | None = None,
        output_schema: Mapping[str, Any] | None = None,
    ) -> Step:
        """Work for the workers of `job_type`. `retries` for the usual pauses, or `retry` for a policy of its own."""
        return self._add(
            "SERVICE_TASK",
            id,
            name,
            job_type=job_type,
            retry_count=retries,
            retry=retry,
            timeout=timeout,
            on_error=on_error,
            priority=priority,
            downstream=downstream,
            output_schema=output_schema,
        )

    def user_task(
        self,
        id: str,
        *,
        name: str | None = None,
        assignee: str | None = None,
        assignee_group: str | None = None,
        due_in: str | None = None,
        form: Mapping[str, Any] | None = None,
        timeout: Mapping[str, str] | None = None,
        on_error: OnError | None = None,
    ) -> Step:
        """Work for a person, who completes it with `complete_user_task`."""
        return self._add(
            "USER_TASK",
            id,
            name,
            assignee=assignee,
            assignee_group=assignee_group,
            due_in=due_in,
            form=form,
            timeout=timeout,
            on_error=on_error,
        )

    def decision(self, id: str, *, name: str | None = None) -> Step:
        """Goes where the first true condition says: `.when("amount > 100", "ask").when("true", "charge")`."""
        return self._add("DECISION", id, name)

    def transformation(self, id: str, variables: Mapping[str, Any], *, name: str | None = None) -> Step:
        """Sets variables, in this order, to literals or to `${expressions}`."""
        return self._add("TRANSFORMATION", id, name, transformations=dict(variables))

    def wait(
        self,
        id: str,
        *,
        name: str | None = None,
        keep_early: bool | None = None,
        duration: str | None = None,
        timeout: Mapping[str, str] | None = None,
    ) -> Step:
        """Stands still until a signal or a timer. `keep_early` keeps a signal that comes before the wait; with
        `duration` the flow goes on after that time."""
        return self._add("WAIT", id, name, keep_early=keep_early, duration=duration, timeout=timeout)

    def parallel(self, id: str, branches: Sequence[str], *, join: str, name: str | None = None) -> Step:
        """Starts every branch at once; they meet at `join`."""
        return self._add("PARALLEL_GATEWAY", id, name, parallel_next_steps=list(branches), join_step=join)

    def join(self, id: str, *, name: str | None = None) -> Step:
        return self._add("JOIN_GATEWAY", id, name)

    def end(self, id: str = "end", *, name: str | None = None) -> Step:
        """Completes the instance."""
        return self._add("END", id, name)

    def build(self) -> Json:
        known = [step.fields["id"] for step in self._steps]
        for step_id in known:
            if known.count(step_id) > 1:
                raise UsageError(f"two steps have the id {step_id!r}")
        for step in self._steps:
            for target in _targets(step.fields):
                if target not in known:
                    raise UsageError(f"step {step.fields['id']!r} goes on to {target!r}, which is no step")
        return {**self._fields, "steps": [dict(step.fields) for step in self._steps]}

    def _add(self, kind: str, id: str, name: str | None, **fields: Any) -> Step:
        step = Step({"id": id, "name": name or id, "type": kind, **body(**fields)})
        self._steps.append(step)
        return step


def _targets(fields: Json) -> list[str]:
    single = [fields[name] for name in ("nextStep", "joinStep") if name in fields]
    events = [event["targetStepId"] for event in fields.get("boundaryEvents", [])]
    return single + events + [*fields.get("conditionalNextSteps", {}).values(), *fields.get("parallelNextSteps", [])]
