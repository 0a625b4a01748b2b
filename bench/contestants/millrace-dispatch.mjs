// Millrace with dispatch through Kafka: the server in a process of its own, a private broker, and the SDK's worker on its topic here.
import { startKafka } from "../measure/kafka-server.mjs"
import { ENGINE } from "./engine-folder.mjs"
import { SDK, startServer } from "./millrace-engine.mjs"

const PARTITIONS = 8

export async function openThroughKafka({ dsn, directory, jobTypes }) {
  const { EngineClient, KafkaRunner } = await import(SDK)
  const { createTopics } = await import(new URL("dist/transports/kafka/topics.js", ENGINE))
  const kafka = await startKafka(directory)
  const settings = { kafkaSeedBrokers: [kafka.broker], kafkaTransport: "plaintext", kafkaTopicPrefix: "workflow." }
  const names = jobTypes.map((jobType) => `workflow.jobs.${jobType}`)
  await createTopics(settings, { names, partitions: PARTITIONS, replicas: 1 })
  const server = await startServer(dsn, {
    WE_DISPATCH_MODE: "kafka_outbox",
    WE_KAFKA_SEED_BROKERS: kafka.broker,
    WE_KAFKA_TRANSPORT: "plaintext",
  })
  const client = new EngineClient({ url: server.url })
  return {
    url: server.url,
    serverPid: server.pid,
    upload: (definition) => client.uploadDefinition(definition),
    startOne: (definitionId, variables) => client.startInstance({ definitionId, variables }),
    startMany: (definitionId, list) =>
      Promise.all(list.map((variables) => client.startInstance({ definitionId, variables }))),
    async work({ concurrency, handle }) {
      const handlers = Object.fromEntries(jobTypes.map((jobType) => [jobType, handle]))
      const brokers = { brokers: kafka.broker, transport: "plaintext" }
      const runner = new KafkaRunner({ client, workerId: "bench-kafka", kafka: brokers, handlers, concurrency }).start()
      return { stop: () => runner.stop() }
    },
    async close() {
      client.close()
      await server.stop()
      await kafka.stop()
    },
  }
}
