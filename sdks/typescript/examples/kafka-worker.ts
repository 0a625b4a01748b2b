// A worker whose jobs come through Kafka, of an engine with WE_DISPATCH_MODE=kafka_outbox and the topic workflow.jobs.kafka-greet.
import { setTimeout as pause } from "node:timers/promises"
import { EngineClient, KafkaRunner, workflow } from "@millrace/sdk"

const { MILLRACE_URL = "http://127.0.0.1:8080", MILLRACE_KAFKA_BROKERS = "127.0.0.1:9092" } = process.env
const client = new EngineClient({ url: MILLRACE_URL })
await client.uploadDefinition(workflow("kafka-greeting").serviceTask("greet", { jobType: "kafka-greet" }).build())

const runner = new KafkaRunner({
  client,
  workerId: "kafka-worker",
  kafka: { brokers: MILLRACE_KAFKA_BROKERS, transport: "plaintext" },
  handlers: { "kafka-greet": async ({ variables }) => ({ greeting: `Hello, ${variables.name}!` }) },
}).start()

let instance = await client.startInstance({ definitionId: "kafka-greeting", variables: { name: "Ada" } })
while (instance.status === "ACTIVE") {
  await pause(50)
  instance = await client.getInstance(instance.id)
}
console.log(instance.status, (instance.variables as { greeting?: string }).greeting)
await runner.stop()
client.close()
