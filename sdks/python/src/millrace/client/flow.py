"""What steers the queue while the engine runs: weights, watermarks, pauses, downstreams, job types; and who works."""

from __future__ import annotations

from typing import TYPE_CHECKING

from millrace.client.part import Part
from millrace.transport.call import Call, CallOptions, ChangeOptions
from millrace.types import (
    Downstream,
    DownstreamList,
    JobType,
    JobTypeList,
    Pause,
    PauseKind,
    PauseList,
    Priority,
    QueueMetrics,
    Watermark,
    WatermarksInForce,
    WeightsInForce,
    WorkerList,
)
from millrace.wire.codec import body

if TYPE_CHECKING:
    from typing_extensions import Unpack


class FlowClient(Part):
    async def metrics(self, **options: Unpack[CallOptions]) -> QueueMetrics:
        """Depths, watermarks, and whether jobs are accepted."""
        return await self._get(QueueMetrics, Call("getQueueMetrics"), options)

    async def weights(self, **options: Unpack[CallOptions]) -> WeightsInForce:
        return await self._get(WeightsInForce, Call("getWeights"), options)

    async def set_weights(
        self, *, critical: int, high: int, normal: int, **options: Unpack[ChangeOptions]
    ) -> WeightsInForce:
        """Whole numbers that add up to 100. In force everywhere when this returns."""
        request = body(critical=critical, high=high, normal=normal)
        return await self._get(WeightsInForce, Call("setWeights", body=request), options)

    async def reset_weights(self, **options: Unpack[ChangeOptions]) -> None:
        await self._do(Call("resetWeights"), options)

    async def watermarks(self, **options: Unpack[CallOptions]) -> WatermarksInForce:
        return await self._get(WatermarksInForce, Call("getWatermarks"), options)

    async def set_watermarks(
        self,
        *,
        critical: Watermark | None = None,
        high: Watermark | None = None,
        normal: Watermark | None = None,
        total: Watermark | None = None,
        **options: Unpack[ChangeOptions],
    ) -> WatermarksInForce:
        request = body(critical=critical, high=high, normal=normal, total=total)
        return await self._get(WatermarksInForce, Call("setWatermarks", body=request), options)

    async def reset_watermarks(self, **options: Unpack[ChangeOptions]) -> None:
        await self._do(Call("resetWatermarks"), options)

    async def pause_queue(self, name: Priority, *, reason: str | None = None, **options: Unpack[ChangeOptions]) -> None:
        await self._do(Call("pauseQueue", path={"name": name}, body=body(reason=reason)), options)

    async def resume_queue(
        self, name: Priority, *, reason: str | None = None, **options: Unpack[ChangeOptions]
    ) -> None:
        await self._do(Call("resumeQueue", path={"name": name}, body=body(reason=reason)), options)

    async def pauses(self, **options: Unpack[CallOptions]) -> list[Pause]:
        return (await self._get(PauseList, Call("listPauses"), options)).items

    async def pause(
        self, kind: PauseKind, name: str, *, reason: str | None = None, **options: Unpack[ChangeOptions]
    ) -> Pause:
        """Of a queue, a job type, a definition or a downstream: its jobs are taken in, and not handed out."""
        return await self._get(Pause, Call("pause", body=body(kind=kind, name=name, reason=reason)), options)

    async def resume(self, kind: PauseKind, name: str, **options: Unpack[ChangeOptions]) -> None:
        await self._do(Call("resume", path={"kind": kind, "name": name}), options)

    async def downstreams(self, **options: Unpack[CallOptions]) -> list[Downstream]:
        return (await self._get(DownstreamList, Call("listDownstreams"), options)).items

    async def downstream(self, name: str, **options: Unpack[CallOptions]) -> Downstream:
        return await self._get(Downstream, Call("getDownstream", path={"name": name}), options)

    async def set_downstream(
        self,
        name: str,
        *,
        per_second: float | None = None,
        concurrency: int | None = None,
        adaptive: bool | None = None,
        **options: Unpack[ChangeOptions],
    ) -> Downstream:
        """These limits and no others: what is left out is not limited."""
        request = body(per_second=per_second, concurrency=concurrency, adaptive=adaptive)
        return await self._get(Downstream, Call("setDownstream", path={"name": name}, body=request), options)

    async def delete_downstream(self, name: str, **options: Unpack[ChangeOptions]) -> None:
        await self._do(Call("deleteDownstream", path={"name": name}), options)

    async def job_types(self, **options: Unpack[CallOptions]) -> list[JobType]:
        return (await self._get(JobTypeList, Call("listJobTypes"), options)).items

    async def set_job_type(
        self, name: str, *, timeout_each: str | None = None, **options: Unpack[ChangeOptions]
    ) -> JobType:
        """`timeout_each`: how long one attempt may run, for jobs that name none (ISO-8601)."""
        request = body(timeout=timeout_each)
        return await self._get(JobType, Call("setJobType", path={"name": name}, body=request), options)

    async def workers(self, **options: Unpack[CallOptions]) -> WorkerList:
        return await self._get(WorkerList, Call("listWorkers"), options)
