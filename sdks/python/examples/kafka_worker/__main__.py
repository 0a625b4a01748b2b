"""A worker whose jobs come through Kafka, for an engine with WE_DISPATCH_MODE=kafka_outbox.

The topic workflow.jobs.greet has to be there: the engine says so when the workflow is uploaded, and how to make it.
"""

import asyncio
import os

from millrace import EngineClient, Flow, HandlerContext, Job, Kafka, KafkaRunner


async def greet(job: Job, context: HandlerContext) -> dict[str, str]:
    context.logger.info("attempt %d", job.attempt)
    return {"greeting": f"Hello, {job.variables['name']}!"}


def kafka() -> Kafka:
    brokers = os.environ.get("KAFKA_BROKERS", "127.0.0.1:9092")
    if "KAFKA_PASSWORD" not in os.environ:
        return Kafka(brokers=brokers, transport="plaintext")
    return Kafka(
        brokers=brokers,
        transport="sasl_scram_tls",
        username=os.environ["KAFKA_USER"],
        password=os.environ["KAFKA_PASSWORD"],
        ca_path=os.environ.get("KAFKA_CA"),
    )


async def main() -> None:
    async with EngineClient(os.environ.get("MILLRACE_URL", "http://127.0.0.1:8080")) as client:
        flow = Flow("greeting", "Greeting")
        flow.service_task("greet", "greet")
        await client.upload_definition(flow.build())

        runner = KafkaRunner(client, {"greet": greet}, worker_id="kafka-worker", kafka=kafka())
        runner.start()
        instance = await client.start_instance("greeting", variables={"name": "Ada"})
        while instance.status in ("ACTIVE", "WAITING"):
            await asyncio.sleep(0.05)
            instance = await client.get_instance(instance.id)
        print(instance.status, instance.variables["greeting"])
        await runner.stop()


asyncio.run(main())
