// Millrace's relay: the outbox of a database, emptied into a private Kafka by an engine in this process.
import { now, until } from "../measure/wait.mjs"
import { openPool } from "../postgres/database.mjs"
import { ENGINE } from "./engine-folder.mjs"
import { createKafka } from "./millrace-kafka.mjs"

const load = (path) => import(new URL(`dist/${path}.js`, ENGINE))
const TYPE = "events"
const KEYS = 1000
const BYTES = 300

/** As fast as SQL can write them; the relay is what is measured. */
const FILL = `insert into millrace.events (id, incarnation, type, key, payload, headers, created_at)
  select millrace.new_id(), o.incarnation, $2, 'k' || n % ${KEYS}, jsonb_build_object('text', repeat('x', ${BYTES - 11})), '{}', now()
  from generate_series(1, $1::int) n, millrace.outbox o`
const LEFT = "select (select last_value from millrace.event_seq) - max(after_seq) as n from millrace.sinks"

export async function createRelay({ dsn, directory }) {
  const kafka = await createKafka({ directory })
  const [{ openCore }, { loadConfig }, { createLogger }] = await Promise.all(
    ["core", "config", "support/log"].map(load),
  )
  const [{ relaysOf }, { publishEvent }, { within }] = await Promise.all(
    ["operations/events/relays", "operations/events/publish-event", "operations/kernel/callers"].map(load),
  )
  const config = loadConfig({ env: { WE_POSTGRES_DSN: dsn } })
  const { kernel, stop } = await openCore(config, createLogger({ level: "error" }))
  const pool = openPool(dsn, 2)
  const acked = new Map()
  const sink = watched(kafka.sink, acked)
  const spec = { sink, kind: "kafka", batchMax: config.outboxBatchSize }
  await relaysOf(kernel).add(spec)
  const left = async () => Number((await pool.query(LEFT)).rows[0].n)
  const event = () => ({ type: TYPE, key: "k", payload: { text: "x".repeat(BYTES - 11) } })
  const delayOf = async (id, committedAt) => {
    await until(() => acked.has(id), { everyMs: 1 })
    return Math.max(0, acked.get(id) - committedAt)
  }
  return {
    settings: { ...kafka.settings, batchMax: config.outboxBatchSize },
    sendBare: kafka.sendBare,
    /** Events a second, from a full outbox to an empty one. The relay has found them when the clock starts: the pulse tells it of SQL. */
    async relay(count) {
      acked.clear()
      const asked = sink.hold()
      await pool.query(FILL, [count, TYPE])
      await asked
      const startedAt = now()
      sink.release()
      await until(async () => (await left()) === 0)
      return Math.round((count / (now() - startedAt)) * 1000)
    },
    async publish() {
      const { outcome } = await publishEvent(kernel, event())
      return delayOf(outcome.id, now())
    },
    async publishInTransaction() {
      const client = await pool.connect()
      await client.query("begin")
      const { outcome } = await within(kernel, client, (tx) => publishEvent(kernel, event(), tx))
      await client.query("commit")
      const committedAt = now()
      client.release()
      return delayOf(outcome.id, committedAt)
    },
    async close() {
      await stop()
      await pool.end()
      await kafka.close()
    },
  }
}

/** The sink, which tells when the broker has an event, and can be held while the outbox is filled. */
function watched(sink, acked) {
  let [asked, released] = [signal(), signal()]
  released.give()
  return {
    name: sink.name,
    takesMany: sink.takesMany,
    /** Resolves when the relay wants to send. */
    hold() {
      ;[asked, released] = [signal(), signal()]
      return asked.given
    },
    release: () => released.give(),
    async send(batch) {
      asked.give()
      await released.given
      const outcomes = await sink.send(batch)
      const at = now()
      for (const { id } of batch) acked.set(id, at)
      return outcomes
    },
    close: async () => {},
  }
}

function signal() {
  let give
  const given = new Promise((resolve) => {
    give = resolve
  })
  return { given, give }
}
