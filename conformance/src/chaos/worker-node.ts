// One worker process with the same handlers: the SDK's runner against the REST server and clients of the queue, or its runner of Kafka.
import { join } from "node:path"
import { EngineClient, KafkaRunner, NonRetryableError, Runner } from "@millrace/sdk"
import { effectsOf } from "./effects.ts"
import { jobHandlersOf } from "./jobs/handle-jobs.ts"
import { loadQueue } from "./jobs/load.ts"
import { restDoor } from "./jobs/rest-door.ts"
import { Journal, readJournals } from "./journal.ts"
import type { NodeOrder } from "./nodes.ts"
import { seeded } from "./random.ts"
import { handlersOf } from "./workload.ts"

const { role, dsn, slot, life, folder, seed, port, brokers } = JSON.parse(process.argv[2] ?? "{}") as NodeOrder
const name = `${role}-${slot}-${String(life).padStart(4, "0")}`
const journals = join(folder, "journals")
const before = readJournals(journals, `${role}-${slot}-`)
const journal = new Journal(journals, name)
const bug = (what: string, error: unknown) =>
  journal.sync({ op: "bug", what, error: String((error as Error)?.stack ?? error) })
process.on("uncaughtException", (error) => {
  bug("uncaught", error)
  process.exit(70)
})
// The parent is gone: so are we.
process.on("disconnect", () => process.exit(0))

const effects = effectsOf({ dsn, node: name, via: role === "kafka-worker" ? "kafka" : "polled" }, bug)
const random = seeded(seed + slot * 7_919 + life * 104_729)
const means = { random, mark: effects.mark, hopeless: NonRetryableError }
const quiet = () => {}
const note = (fields: object, message: string) => console.info(JSON.stringify({ at: new Date(), message, ...fields }))
const options = {
  client: new EngineClient({ url: `http://127.0.0.1:${port}` }),
  handlers: { ...handlersOf(means), ...jobHandlersOf(means) },
  workerId: name,
  concurrency: 16,
  leaseSeconds: 5,
  logger: { debug: quiet, info: quiet, warn: note, error: note },
}
const runner =
  role === "kafka-worker"
    ? new KafkaRunner({ ...options, kafka: { brokers: brokers ?? "", transport: "plaintext" } })
    : new Runner(options)
runner.start()

const phase = { draining: false, stopped: false }
const load =
  role === "worker" ? loadQueue({ name, door: restDoor(port), journal, random, phase, bug }, before) : undefined

process.on("message", async (message) => {
  phase.draining = true
  if (message !== "stop") return
  phase.stopped = true
  await load
  await runner.stop()
  await effects.close()
  journal.close()
  process.exit(0)
})
process.send?.("ready")
