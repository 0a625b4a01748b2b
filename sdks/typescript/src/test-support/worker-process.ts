// A worker in a process of its own, steered by messages of the test: argv is the engine's address and the heartbeat mode.

import { once } from "node:events"
import { existsSync } from "node:fs"
import { EngineClient } from "../client/engine-client.ts"
import { HandlerRegistry } from "../worker/registry.ts"
import { Runner } from "../worker/runner.ts"

const [url = "", heartbeats = "inline"] = process.argv.slice(2)
const pause = new Int32Array(new SharedArrayBuffer(4))

const handlers = new HandlerRegistry()
  .register("wait", async () => {
    process.send?.("started")
    await once(process, "message")
    return { waited: true }
  })
  .register("block", ({ variables }) => {
    // Holds the event loop, not only this handler, until the test puts a file there.
    while (!existsSync(String(variables.until))) Atomics.wait(pause, 0, 0, 5)
    return { blocked: true }
  })

const runner = new Runner({
  client: new EngineClient({ url }),
  handlers,
  workerId: "process-1",
  leaseSeconds: 5,
  heartbeats: heartbeats === "thread" ? "thread" : "inline",
  stopOn: ["SIGTERM"],
})
process.once("SIGTERM", () => process.send?.("stopping"))
const result = await runner.run()
await new Promise((sent) => process.send?.(result, sent))
// Nothing else may keep the process alive.
process.disconnect()
