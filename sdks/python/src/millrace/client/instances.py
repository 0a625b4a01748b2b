"""Instances: start them, look at them, move them on."""

from __future__ import annotations

from collections.abc import AsyncIterator, Mapping
from typing import TYPE_CHECKING, Any, Literal

from millrace.client.part import Part, follow_cursor
from millrace.transport.call import Call, CallOptions, ChangeOptions
from millrace.types import (
    AuditEntry,
    AuditTrail,
    Bulk,
    Found,
    FoundInstance,
    History,
    Instance,
    InstanceFilter,
    InstancePage,
    InstanceStatus,
    Priority,
    RunSteps,
    StepExecution,
    Waiting,
    WaitingReason,
)
from millrace.wire.codec import body, encode

if TYPE_CHECKING:
    from typing_extensions import Unpack


class InstanceCalls(Part):
    async def start_instance(
        self,
        definition_id: str,
        *,
        variables: Mapping[str, Any] | None = None,
        definition_version: int | None = None,
        business_key: str | None = None,
        priority: Priority | None = None,
        linking_id: str | None = None,
        **options: Unpack[ChangeOptions],
    ) -> Instance:
        """Accepted means committed. The latest version unless one is named."""
        request = body(
            definition_id=definition_id,
            variables=variables,
            definition_version=definition_version,
            business_key=business_key,
            priority=priority,
            linking_id=linking_id,
        )
        return await self._get(Instance, Call("startInstance", body=request), options)

    async def get_instance(self, id: str, **options: Unpack[CallOptions]) -> Instance:
        return await self._get(Instance, Call("getInstance", path={"instanceId": id}), options)

    async def list_instances(
        self,
        *,
        definition_id: str | None = None,
        version: int | None = None,
        status: InstanceStatus | None = None,
        business_key: str | None = None,
        started_after: str | None = None,
        started_before: str | None = None,
        failure: str | None = None,
        page: int | None = None,
        page_size: int | None = None,
        cursor: str | None = None,
        **options: Unpack[CallOptions],
    ) -> InstancePage:
        """One page, newest first."""
        query = body(
            definition_id=definition_id,
            version=version,
            status=status,
            business_key=business_key,
            started_after=started_after,
            started_before=started_before,
            failure=failure,
            page=page,
            page_size=page_size,
            cursor=cursor,
        )
        return await self._get(InstancePage, Call("listInstances", query=query), options)

    def instances(
        self, filter: InstanceFilter | None = None, *, page_size: int | None = None, **options: Unpack[CallOptions]
    ) -> AsyncIterator[Instance]:
        """Every instance that matches, newest first, page after page."""
        query = encode(filter) if filter else {}

        async def fetch(cursor: str | None) -> InstancePage:
            call = Call("listInstances", query={**query, **body(page_size=page_size, cursor=cursor)})
            return await self._get(InstancePage, call, options)

        return follow_cursor(fetch)

    async def get_history(self, instance_id: str, **options: Unpack[CallOptions]) -> list[StepExecution]:
        call = Call("getInstanceHistory", path={"instanceId": instance_id})
        return (await self._get(History, call, options)).items

    async def get_audit(
        self, instance_id: str, *, after_seq: int | None = None, **options: Unpack[CallOptions]
    ) -> list[AuditEntry]:
        """Who did what, oldest first."""
        call = Call("getInstanceAudit", path={"instanceId": instance_id}, query=body(after_seq=after_seq))
        return (await self._get(AuditTrail, call, options)).items

    async def get_steps(self, instance_id: str, **options: Unpack[CallOptions]) -> RunSteps:
        """Its steps with their attempts, errors and waits, alike for a list, a function and a graph."""
        return await self._get(RunSteps, Call("getInstanceSteps", path={"instanceId": instance_id}), options)

    async def search_instances(
        self, prefix: str, *, limit: int | None = None, **options: Unpack[CallOptions]
    ) -> list[FoundInstance]:
        """Instances by the beginning of a key, a business key or an id."""
        call = Call("searchInstances", query=body(prefix=prefix, limit=limit))
        return (await self._get(Found, call, options)).items

    async def get_waiting(self, instance_id: str, **options: Unpack[CallOptions]) -> list[WaitingReason]:
        """Why the instance is not moving."""
        call = Call("getInstanceWaiting", path={"instanceId": instance_id})
        return (await self._get(Waiting, call, options)).reasons

    async def cancel_instance(
        self, instance_id: str, *, reason: str | None = None, **options: Unpack[ChangeOptions]
    ) -> Instance:
        call = Call("cancelInstance", path={"instanceId": instance_id}, body=body(reason=reason))
        return await self._get(Instance, call, options)

    async def signal(
        self,
        instance_id: str,
        step_id: str,
        variables: Mapping[str, Any] | None = None,
        **options: Unpack[ChangeOptions],
    ) -> None:
        """Ends a WAIT step; `variables` are merged into the instance's."""
        path = {"instanceId": instance_id, "stepId": step_id}
        await self._do(Call("signalInstance", path=path, body=dict(variables or {})), options)

    async def retry_step(
        self,
        instance_id: str,
        step_id: str,
        *,
        variables: Mapping[str, Any] | None = None,
        **options: Unpack[ChangeOptions],
    ) -> Instance:
        """Enters the failed step of a FAILED instance again, with `variables` merged first."""
        path = {"instanceId": instance_id, "stepId": step_id}
        return await self._get(Instance, Call("retryStep", path=path, body=body(variables=variables)), options)

    async def retry_instance(
        self, instance_id: str, *, variables: Mapping[str, Any] | None = None, **options: Unpack[ChangeOptions]
    ) -> Instance:
        """At the step that failed it."""
        call = Call("retryInstance", path={"instanceId": instance_id}, body=body(variables=variables))
        return await self._get(Instance, call, options)

    async def restart_instance(
        self,
        instance_id: str,
        *,
        from_step: str | None = None,
        variables: Mapping[str, Any] | None = None,
        **options: Unpack[ChangeOptions],
    ) -> Instance:
        """A new instance in the place of one that has ended, which stays as it is."""
        asked = body(from_step=from_step, variables=variables)
        return await self._get(Instance, Call("restartInstance", path={"instanceId": instance_id}, body=asked), options)

    async def start_bulk(
        self,
        action: Literal["cancel", "retry"],
        filter: InstanceFilter,
        *,
        dry_run: bool | None = None,
        reason: str | None = None,
        **options: Unpack[ChangeOptions],
    ) -> Bulk:
        """Cancels or retries every instance that matches; follow it with `get_bulk`."""
        request = body(action=action, filter=filter, dry_run=dry_run, reason=reason)
        return await self._get(Bulk, Call("startBulk", body=request), options)

    async def get_bulk(self, id: str, **options: Unpack[CallOptions]) -> Bulk:
        return await self._get(Bulk, Call("getBulk", path={"bulkId": id}), options)
