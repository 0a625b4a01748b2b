"""A worker that greets: uploads a workflow of one task, starts it, and runs the task."""

import asyncio
import os

from millrace import EngineClient, Flow, HandlerContext, Job, Runner


async def greet(job: Job, context: HandlerContext) -> dict[str, str]:
    context.logger.info("attempt %d", job.attempt)
    return {"greeting": f"Hello, {job.variables['name']}!"}


async def main() -> None:
    async with EngineClient(os.environ.get("MILLRACE_URL", "http://127.0.0.1:8080")) as client:
        flow = Flow("greeting", "Greeting")
        flow.service_task("greet", "greet")
        await client.upload_definition(flow.build())

        runner = Runner(client, {"greet": greet}, worker_id="first-worker")
        runner.start()
        instance = await client.start_instance("greeting", variables={"name": "Ada"})
        while instance.status in ("ACTIVE", "WAITING"):
            await asyncio.sleep(0.05)
            instance = await client.get_instance(instance.id)
        print(instance.status, instance.variables["greeting"])
        await runner.stop()


asyncio.run(main())
