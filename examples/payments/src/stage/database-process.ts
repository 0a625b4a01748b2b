// Holds the embedded PostgreSQL of this run in a process of its own, so that the chaos can kill it.
import { millrace } from "millrace"
import { endInOrder } from "./end-in-order.ts"

const mill = await millrace({
  database: "embedded",
  dataDir: process.env.DATA_DIR,
  logLevel: "silent",
  maxConnections: 2,
})
process.send?.({ url: "" })
endInOrder(() => mill.stop())
