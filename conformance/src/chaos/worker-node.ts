// One worker process: the SDK's runner against the REST server, with the same handlers, and clients of the queue.
import { join } from "node:path"
import { EngineClient, NonRetryableError, Runner } from "@millrace/sdk"
import { effectsOf } from "./effects.ts"
import { jobHandlersOf } from "./jobs/handle-jobs.ts"
import { loadQueue } from "./jobs/load.ts"
import { restDoor } from "./jobs/rest-door.ts"
import { Journal, readJournals } from "./journal.ts"
import type { NodeOrder } from "./nodes.ts"
import { seeded } from "./random.ts"
import { handlersOf } from "./workload.ts"

const { dsn, slot, life, folder, seed, port } = JSON.parse(process.argv[2] ?? "{}") as NodeOrder
const name = `worker-${slot}-${String(life).padStart(4, "0")}`
const journals = join(folder, "journals")
const before = readJournals(journals, `worker-${slot}-`)
const journal = new Journal(journals, name)
const bug = (what: string, error: unknown) =>
  journal.sync({ op: "bug", what, error: String((error as Error)?.stack ?? error) })
process.on("uncaughtException", (error) => {
  bug("uncaught", error)
  process.exit(70)
})
// The parent is gone: so are we.
process.on("disconnect", () => process.exit(0))

const effects = effectsOf(dsn, name, bug)
const random = seeded(seed + slot * 7_919 + life * 104_729)
const means = { random, mark: effects.mark, hopeless: NonRetryableError }
const quiet = () => {}
const runner = new Runner({
  client: new EngineClient({ url: `http://127.0.0.1:${port}` }),
  handlers: { ...handlersOf(means), ...jobHandlersOf(means) },
  workerId: name,
  concurrency: 16,
  leaseSeconds: 5,
  logger: { debug: quiet, info: quiet, warn: quiet, error: quiet },
}).start()

const phase = { draining: false, stopped: false }
const load = loadQueue({ name, door: restDoor(port), journal, random, phase, bug }, before)

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
