// A worker of the flood: claims in batches, writes down what it did before it reports it, and reports until it is told the verdict.
import { join } from "node:path"
import { FloodWorker } from "./flood/flood-worker.ts"
import { owedBy } from "./flood/owed.ts"
import { Journal } from "./journal.ts"
import type { NodeOrder } from "./nodes.ts"
import { seeded } from "./random.ts"

const { role, slot, life, folder, seed, ports = [] } = JSON.parse(process.argv[2] ?? "{}") as NodeOrder
const journals = join(folder, "journals")
const owed = owedBy(journals, `${role}-${slot}`, life)
const name = `${role}-${slot}-${String(life).padStart(5, "0")}`
const journal = new Journal(journals, name)
process.on("uncaughtException", (error) => {
  journal.sync({ op: "bug", what: "uncaught", error: String(error.stack ?? error) })
  process.exit(70)
})
// The parent is gone: so are we.
process.on("disconnect", () => process.exit(0))

const random = seeded(seed + slot * 7_919 + life * 104_729)
const worker = new FloodWorker({ name, ports, journal, random })
const work = worker.run(owed)
process.on("message", async (message) => {
  if (message !== "stop") return
  worker.stop()
  await work
  journal.close()
  process.exit(0)
})
process.send?.("ready")
