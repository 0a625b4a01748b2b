// Looks at the ports before anything is started: one that is taken must not come to light after the database has been migrated.
import { createServer } from "node:net"
import type { Config } from "../../../config.ts"

interface Wish {
  readonly config: Config
  readonly mode: "dev" | "start"
  /** Whether the REST port is opened at all. */
  readonly rest: boolean
  readonly say: (text: string) => void
}

/** Rejects where a port is taken; but on a developer's machine metrics give way, for another engine may well run beside. */
export async function settlePorts({ config, mode, rest, say }: Wish): Promise<Config> {
  const { restPort, metricsPort, bindAddress } = config
  if (rest) await expectFree(restPort, bindAddress)
  try {
    await expectFree(metricsPort, bindAddress)
    return config
  } catch (error) {
    if (mode === "start" || (error as NodeJS.ErrnoException).code !== "EADDRINUSE") throw error
    say(`Port ${metricsPort} is taken: metrics get another one. WE_METRICS_PORT chooses it.`)
    return Object.freeze({ ...config, metricsPort: 0 })
  }
}

/** It is let go again at once, and opened for good when there is something to answer. */
function expectFree(port: number, host: string): Promise<void> {
  return new Promise((resolve, reject) => {
    const probe = createServer()
    probe.once("error", reject)
    probe.listen({ port, host, exclusive: true }, () => probe.close(() => resolve()))
  })
}
