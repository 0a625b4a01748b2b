"""An order: a decision, two tasks at the same time, retries, and a failure that no retry can mend."""

import asyncio
import os

from millrace import EngineClient, Flow, HandlerContext, HandlerRegistry, Job, NonRetryableError, Runner
from millrace.types import Instance

handlers = HandlerRegistry()


@handlers.handler("charge-card")
async def charge_card(job: Job, context: HandlerContext) -> dict[str, str]:
    if job.variables["amount"] > 10_000:
        raise NonRetryableError("the card's limit is 10,000")
    # The bank sees the same key however often this runs.
    return {"receipt": f"R-{job.idempotency_key[-4:]}"}


@handlers.handler("reserve-stock")
def reserve_stock(job: Job, context: HandlerContext) -> dict[str, bool]:
    """A plain function: it runs in a thread, and may block."""
    if job.attempt == 1:
        raise ConnectionError("the warehouse does not answer")
    return {"reserved": True}


def order() -> Flow:
    flow = Flow("order", "Order")
    flow.decision("size").when("amount == 0", "free").when("true", "fulfil")
    flow.parallel("fulfil", ["charge", "reserve"], join="fulfilled")
    flow.service_task("charge", "charge-card", retries=3).then("fulfilled")
    flow.service_task("reserve", "reserve-stock", retry={"retries": 3, "base": "PT0.1S"}).then("fulfilled")
    flow.join("fulfilled").then("done")
    flow.transformation("free", {"receipt": "none needed"}).then("done")
    flow.end("done")
    return flow


async def ended(client: EngineClient, instance: Instance) -> Instance:
    while instance.status in ("ACTIVE", "WAITING"):
        await asyncio.sleep(0.05)
        instance = await client.get_instance(instance.id)
    return instance


async def main() -> None:
    async with EngineClient(os.environ.get("MILLRACE_URL", "http://127.0.0.1:8080")) as client:
        await client.upload_definition(order().build())
        runner = Runner(client, handlers, worker_id="orders-1")
        runner.start()
        for amount in (0, 42, 99_999):
            instance = await ended(client, await client.start_instance("order", variables={"amount": amount}))
            print(amount, instance.status, instance.variables.get("receipt") or instance.failure_reason)
        await runner.stop()


asyncio.run(main())
