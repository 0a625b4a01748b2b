// The processes of the example, and what each is started with.
import type { Plan } from "./member.ts"

type Env = Readonly<Record<string, string>>

const script = (path: string): URL => new URL(`../${path}`, import.meta.url)

export const providerPlan = (env: Env): Plan => ({ name: "provider", script: script("provider/process.js"), env })
export const apiPlan = (env: Env): Plan => ({ name: "API", script: script("api/process.js"), env })
export const workerPlan = (env: Env): Plan => ({
  name: "worker",
  script: script("settlement/process.js"),
  env,
  isPatient: true,
})
export const databasePlan = (dataDir: string): Plan => ({
  name: "database",
  script: script("stage/database-process.js"),
  env: { DATA_DIR: dataDir },
})

/** Sends events to Kafka, and does nothing else. */
export const relayPlan = (databaseUrl: string, brokers: string): Plan => ({
  name: "relay",
  script: script("stage/relay-process.js"),
  env: {
    WE_POSTGRES_DSN: databaseUrl,
    WE_EVENT_SINKS: "kafka",
    WE_KAFKA_SEED_BROKERS: brokers,
    WE_KAFKA_TRANSPORT: "plaintext",
    WE_LOG_LEVEL: "error",
    WE_METRICS_PORT: "0",
    WE_GRPC_PORT: "0",
  },
  isSilent: true,
  isPatient: true,
})
