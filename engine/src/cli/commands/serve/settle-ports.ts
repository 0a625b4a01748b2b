// Looks at the ports before anything is started: one that is taken must not come to light after the database has been migrated.
import { createServer } from "node:net"
import type { Config } from "../../../config.ts"

interface Wish {
  readonly config: Config
  readonly mode: "dev" | "start"
  /** Whether the ports of REST and gRPC are opened at all. */
  readonly rest: boolean
  readonly say: (text: string) => void
}

/** Rejects where a port is taken; but in `dev` the default ports of gRPC and metrics give way: another engine may run beside. */
export async function settlePorts({ config, mode, rest, say }: Wish): Promise<Config> {
  const { restPort, grpcPort, metricsPort, bindAddress } = config
  if (rest) await expectFree(restPort, bindAddress)
  const settle = async (key: "grpcPort" | "metricsPort", words: { what: string; name: string }): Promise<number> => {
    try {
      await expectFree(config[key], bindAddress)
      return config[key]
    } catch (error) {
      const mayMove = mode === "dev" && config.sources[key] === "default"
      if (!mayMove || (error as NodeJS.ErrnoException).code !== "EADDRINUSE") throw error
      say(`Port ${config[key]} is taken: ${words.what} another one. ${words.name} chooses it.`)
      return 0
    }
  }
  const settled = {
    grpcPort: rest ? await settle("grpcPort", { what: "gRPC gets", name: "WE_GRPC_PORT" }) : grpcPort,
    metricsPort: await settle("metricsPort", { what: "metrics get", name: "WE_METRICS_PORT" }),
  }
  const isSame = settled.grpcPort === grpcPort && settled.metricsPort === metricsPort
  return isSame ? config : Object.freeze({ ...config, ...settled })
}

/** The port is released again at once. It is opened for good when there is something to answer. */
function expectFree(port: number, host: string): Promise<void> {
  return new Promise((resolve, reject) => {
    const probe = createServer()
    probe.once("error", reject)
    probe.listen({ port, host, exclusive: true }, () => probe.close(() => resolve()))
  })
}
