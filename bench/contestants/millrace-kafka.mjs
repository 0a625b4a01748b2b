// Millrace's way to Kafka, and the client alone beside it: the same records to the same broker, all replicas asked for an acknowledgement.
import { createRequire } from "node:module"
import { pathToFileURL } from "node:url"
import { startKafka } from "../measure/kafka-server.mjs"
import { ENGINE } from "./engine-folder.mjs"

const load = (path) => import(new URL(`dist/transports/kafka/${path}.js`, ENGINE))
const CLIENT = "@platformatic/kafka"
const TOPIC = "bench.events"
const PARTITIONS = 8
const [ID, TYPE, CONTENT_TYPE] = ["event-id", "event-type", "content-type"].map((name) => Buffer.from(name))
const JSON_TYPE = Buffer.from("application/json")

export async function createKafka({ directory }) {
  const kafka = await startKafka(directory)
  const settings = { kafkaSeedBrokers: [kafka.broker], kafkaTransport: "plaintext", kafkaTopicPrefix: "bench." }
  const [{ createTopics }, { kafkaSink }] = await Promise.all([load("topics"), load("sink")])
  await createTopics(settings, { names: [TOPIC], partitions: PARTITIONS, replicas: 1 })
  const sink = kafkaSink(settings)
  const bare = await openBare(kafka.broker)
  return {
    settings: { partitions: PARTITIONS, client: bare.version },
    async send(events) {
      const outcomes = await sink.send(events)
      const odd = outcomes.find(({ kind }) => kind !== "sent")
      if (odd) throw new Error(`an event was not sent: ${odd.reason}`)
    },
    sink,
    sendBare: bare.send,
    async close() {
      await Promise.allSettled([sink.close(), bare.close()])
      await kafka.stop()
    },
  }
}

/** An idempotent producer as the client has it, without verdicts and places; the records are the same. */
async function openBare(broker) {
  const path = createRequire(new URL("package.json", ENGINE)).resolve(CLIENT)
  const { Producer } = await import(pathToFileURL(path).href)
  const producer = new Producer({ clientId: "bench", bootstrapBrokers: [broker], idempotent: true })
  const messageOf = ({ id, type, key, payload }) => ({
    topic: TOPIC,
    key: Buffer.from(key),
    value: Buffer.from(JSON.stringify(payload)),
    headers: new Map([
      [ID, Buffer.from(id)],
      [TYPE, Buffer.from(type)],
      [CONTENT_TYPE, JSON_TYPE],
    ]),
  })
  return {
    version: CLIENT,
    send: (events) => producer.send({ messages: events.map(messageOf) }),
    close: () => producer.close(),
  }
}
