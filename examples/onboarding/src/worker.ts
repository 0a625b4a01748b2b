// A worker: one process that runs onboardings. How many there are decides how fast the services are called, and nothing else does.
import { millrace } from "millrace"
import { dunning } from "./dunning.ts"
import { onboarding } from "./onboarding.ts"

const { DATABASE_URL, CONCURRENCY = "1", LEASE_MS = "3000" } = process.env

const mill = await millrace({ database: DATABASE_URL, logLevel: "error" })
await mill.work([onboarding, dunning], { concurrency: Number(CONCURRENCY), leaseMs: Number(LEASE_MS) })
process.send?.("ready")

const end = () => mill.stop().finally(() => process.exit())
process.once("SIGTERM", end)
process.once("disconnect", end)
process.on("SIGINT", () => {}) // Ctrl-C reaches the parent too, which then ends everybody in order
