"""What comes from outside a workflow: user tasks that people complete, submissions, and events that wake runs."""

from __future__ import annotations

from collections.abc import AsyncIterator, Mapping
from typing import TYPE_CHECKING, Any

from millrace.client.part import Part, follow_cursor
from millrace.transport.call import Call, CallOptions, ChangeOptions
from millrace.types import Instance, TakenIn, UserTask, UserTaskPage, UserTaskStatus, Woken
from millrace.wire.codec import body

if TYPE_CHECKING:
    from typing_extensions import Unpack


class PeopleCalls(Part):
    async def list_user_tasks(
        self,
        *,
        status: UserTaskStatus | None = None,
        assignee: str | None = None,
        group: str | None = None,
        page_size: int | None = None,
        cursor: str | None = None,
        **options: Unpack[CallOptions],
    ) -> UserTaskPage:
        """One page of the inbox, oldest first; OPEN unless `status` is given."""
        query = body(status=status, assignee=assignee, group=group, page_size=page_size, cursor=cursor)
        return await self._get(UserTaskPage, Call("listUserTasks", query=query), options)

    def user_tasks(
        self,
        *,
        status: UserTaskStatus | None = None,
        assignee: str | None = None,
        group: str | None = None,
        page_size: int | None = None,
        **options: Unpack[CallOptions],
    ) -> AsyncIterator[UserTask]:
        """Every user task that matches, page after page."""
        query = body(status=status, assignee=assignee, group=group, page_size=page_size)

        async def fetch(cursor: str | None) -> UserTaskPage:
            return await self._get(UserTaskPage, Call("listUserTasks", query={**query, **body(cursor=cursor)}), options)

        return follow_cursor(fetch)

    async def get_user_task(self, id: str, **options: Unpack[CallOptions]) -> UserTask:
        return await self._get(UserTask, Call("getUserTask", path={"userTaskId": id}), options)

    async def claim_user_task(self, id: str, assignee: str, **options: Unpack[ChangeOptions]) -> UserTask:
        """ConflictError when another person has it."""
        call = Call("claimUserTask", path={"userTaskId": id}, body=body(assignee=assignee))
        return await self._get(UserTask, call, options)

    async def unclaim_user_task(
        self, id: str, assignee: str | None = None, **options: Unpack[ChangeOptions]
    ) -> UserTask:
        """Anyone of its group may claim it then. With a name only if that person has it: ConflictError otherwise."""
        call = Call("unclaimUserTask", path={"userTaskId": id}, body=body(assignee=assignee))
        return await self._get(UserTask, call, options)

    async def delegate_user_task(
        self, id: str, assignee: str, *, from_: str | None = None, **options: Unpack[ChangeOptions]
    ) -> UserTask:
        """Makes it the task of another person. With `from_` only if that person has it: ConflictError otherwise."""
        request = {**body(assignee=assignee), **({} if from_ is None else {"from": from_})}
        call = Call("delegateUserTask", path={"userTaskId": id}, body=request)
        return await self._get(UserTask, call, options)

    async def set_user_task_due(self, id: str, due_at: str | None = None, **options: Unpack[ChangeOptions]) -> UserTask:
        """As RFC 3339; without a time it is not due at any time."""
        call = Call("setUserTaskDue", path={"userTaskId": id}, body=body(due_at=due_at))
        return await self._get(UserTask, call, options)

    async def complete_user_task(
        self,
        instance_id: str,
        step_id: str,
        *,
        completed_by: str | None = None,
        variables: Mapping[str, Any] | None = None,
        **options: Unpack[ChangeOptions],
    ) -> None:
        """By instance and step, not by the id of the task."""
        path = {"instanceId": instance_id, "stepId": step_id}
        request = body(completed_by=completed_by, variables=variables)
        await self._do(Call("completeUserTask", path=path, body=request), options)

    async def intake(
        self,
        definition_id: str,
        payload: Mapping[str, Any],
        *,
        key: str,
        linking_id: str | None = None,
        **options: Unpack[CallOptions],
    ) -> TakenIn:
        """Saves a submission for later, once per key: a repeat is answered alike, whatever its payload."""
        path, query = {"definitionId": definition_id}, body(linking_id=linking_id)
        call = Call("takeIntake", path=path, query=query, body=dict(payload))
        return await self._get(TakenIn, call, {**options, "idempotency_key": key})

    async def get_intake(self, definition_id: str, key: str, **options: Unpack[CallOptions]) -> Instance:
        """The instance that works on a submission."""
        return await self._get(Instance, Call("getIntake", path={"definitionId": definition_id, "key": key}), options)

    async def wake(self, linking_id: str, **options: Unpack[ChangeOptions]) -> Woken:
        """Runs that wait for this event need not sit out their delay."""
        return await self._get(Woken, Call("wakeRuns", body=body(linking_id=linking_id)), options)
