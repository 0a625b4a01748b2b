// A port for a server that is bound later, or gives its port back and takes it again.
import { randomInt } from "node:crypto"
import { createServer } from "node:net"

/** Below those that the system gives to outgoing connections: such a connection would hold it in the meantime. */
const [LOWEST, HIGHEST] = [12_000, 30_000]

export async function steadyPort(): Promise<number> {
  for (;;) {
    const port = randomInt(LOWEST, HIGHEST)
    if (await isFree(port)) return port
  }
}

const isFree = (port: number): Promise<boolean> =>
  new Promise((resolve) => {
    const server = createServer()
    server.once("error", () => resolve(false))
    server.listen(port, "127.0.0.1", () => server.close(() => resolve(true)))
  })
