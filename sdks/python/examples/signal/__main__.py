"""An instance that waits for news from outside, and gets it by a signal."""

import asyncio
import os

from millrace import EngineClient, Flow


async def main() -> None:
    async with EngineClient(os.environ.get("MILLRACE_URL", "http://127.0.0.1:8080")) as client:
        flow = Flow("payment", "Payment")
        # Without a signal within a day it ends by the timer.
        flow.wait("paid").then("done").on_timer("P1D", "late", interrupting=True)
        flow.transformation("late", {"late": True}).then("done")
        flow.end("done")
        await client.upload_definition(flow.build())

        instance = await client.start_instance("payment")
        for reason in await client.get_waiting(instance.id):
            print("waits:", reason.detail["message"])
        await client.signal(instance.id, "paid", {"receipt": "R-1"})
        instance = await client.get_instance(instance.id)
        print(instance.status, instance.variables)


asyncio.run(main())
