// One worker process: the SDK's runner against the REST server, with the same handlers.
import { join } from "node:path"
import { EngineClient, NonRetryableError, Runner } from "@millrace/sdk"
import { effectsOf } from "./effects.ts"
import { Journal } from "./journal.ts"
import type { NodeOrder } from "./nodes.ts"
import { seeded } from "./random.ts"
import { handlersOf } from "./workload.ts"

const { dsn, slot, life, folder, seed, port } = JSON.parse(process.argv[2] ?? "{}") as NodeOrder
const name = `worker-${slot}-${String(life).padStart(4, "0")}`
const journal = new Journal(join(folder, "journals"), name)
const bug = (what: string, error: string) => journal.sync({ op: "bug", what, error })
process.on("uncaughtException", (error) => {
  bug("uncaught", String(error.stack))
  process.exit(70)
})
// The parent is gone: so are we.
process.on("disconnect", () => process.exit(0))

const effects = effectsOf(dsn, name, bug)
const random = seeded(seed + slot * 7_919 + life * 104_729)
const quiet = () => {}
const runner = new Runner({
  client: new EngineClient({ baseUrl: `http://127.0.0.1:${port}` }),
  handlers: handlersOf({ random, mark: effects.mark, hopeless: NonRetryableError }),
  workerId: name,
  concurrency: 16,
  leaseSeconds: 5,
  logger: { debug: quiet, info: quiet, warn: quiet, error: quiet },
}).start()

process.on("message", async (message) => {
  if (message !== "stop") return
  await runner.stop()
  await effects.close()
  journal.close()
  process.exit(0)
})
process.send?.("ready")
