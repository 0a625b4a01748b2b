import { createServer, type Server } from "node:net"
import { afterAll, beforeAll, describe, expect, test } from "vitest"
import { type Config, loadConfig } from "../../../config.ts"
import { createLogger } from "../../../support/log.ts"
import { serve } from "./serve.ts"
import { settlePorts } from "./settle-ports.ts"

let neighbour: Server
let taken: number

beforeAll(async () => {
  neighbour = createServer()
  await new Promise<void>((resolve) => neighbour.listen(0, "127.0.0.1", resolve))
  taken = (neighbour.address() as { port: number }).port
})
afterAll(() => new Promise((resolve) => neighbour.close(resolve)))

const configWith = (ports: { rest?: number; metrics?: number; grpc?: number }): Config => {
  const env = { WE_POSTGRES_DSN: "postgres://x/y", WE_REST_PORT: String(ports.rest ?? 0) }
  const others = { WE_METRICS_PORT: String(ports.metrics ?? 0), WE_GRPC_PORT: String(ports.grpc ?? 0) }
  return loadConfig({ env: { ...env, ...others } })
}

/** Starts the engine with these ports, as the command does; tells whether it came to that. */
async function started(mode: "dev" | "start", config: Config) {
  let said = ""
  const got: Config[] = []
  const signals = { once: () => signals, on: () => signals, off: () => signals, removeListener: () => signals }
  const startEngine = async (given: Config) => {
    got.push(given)
    throw new Error("far enough")
  }
  const terminal = { write: (text: string) => (said += text) }
  const log = createLogger({ level: "silent" })
  const options = { config, log, version: "0", mode, startEngine, terminal, force: () => {}, signals }
  const error = await serve(options as unknown as Parameters<typeof serve>[0]).catch((thrown) => thrown)
  return { said, got, error }
}

/** As if the port that is taken were the default. */
const byDefault = (key: "grpcPort" | "metricsPort"): Config => {
  const config = configWith({})
  return { ...config, [key]: taken, sources: { ...config.sources, [key]: "default" } }
}

describe("a port that is taken", () => {
  test("dev gives its metrics another port and says so, before the engine is started", async () => {
    const { said, got } = await started("dev", byDefault("metricsPort"))
    expect(got.map(({ metricsPort }) => metricsPort)).toEqual([0])
    expect(said).toContain(`Port ${taken} is taken: metrics get another one`)
  })

  test("dev gives gRPC another port and says so", async () => {
    const { said, got } = await started("dev", byDefault("grpcPort"))
    expect(got.map(({ grpcPort }) => grpcPort)).toEqual([0])
    expect(said).toContain(`Port ${taken} is taken: gRPC gets another one. WE_GRPC_PORT chooses it.`)
  })

  test.each(["grpc", "metrics"])("dev refuses where %s was told to have it", async (which) => {
    const { said, got, error } = await started("dev", configWith({ [which]: taken }))
    expect(got).toEqual([])
    expect(said).not.toContain("another one")
    expect(error).toMatchObject({ code: "EADDRINUSE", port: taken })
  })

  test("start refuses before the engine is started, so before anything is migrated", async () => {
    const { got, error } = await started("start", configWith({ metrics: taken }))
    expect(got).toEqual([])
    expect(error).toMatchObject({ code: "EADDRINUSE", port: taken })
  })

  test.each(["dev", "start"] as const)("%s refuses where the port of the API is taken", async (mode) => {
    const { got, error } = await started(mode, configWith({ rest: taken }))
    expect(got).toEqual([])
    expect(error).toMatchObject({ code: "EADDRINUSE", port: taken })
  })

  test("a process without the API does not look at its port", async () => {
    const config = configWith({ rest: taken })
    expect(await settlePorts({ config, mode: "start", rest: false, say: () => {} })).toBe(config)
  })
})
