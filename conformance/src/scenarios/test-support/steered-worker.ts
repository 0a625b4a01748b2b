// A worker in a process of its own that a test steers by messages: it tells of each job it starts, and finishes it when told.
import { once } from "node:events"
import { EngineClient, Runner } from "@millrace/sdk"

const [url = "", jobType = "", concurrency = "1"] = process.argv.slice(2)

const runner = new Runner({
  client: new EngineClient({ url }),
  handlers: {
    [jobType]: async (job) => {
      process.send?.(job)
      await once(process, "message")
      return { finishedBy: "steered-worker" }
    },
  },
  workerId: "steered-worker",
  concurrency: Number(concurrency),
  stopOn: ["SIGTERM"],
})
process.once("SIGTERM", () => process.send?.("stopping"))
await runner.run()
// Nothing else may keep the process alive.
process.disconnect()
