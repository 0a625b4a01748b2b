// A port of the loopback that is free now, and stays so until it is bound.
import { randomInt } from "node:crypto"
import { createServer } from "node:net"

/** Below those that the system gives to outgoing connections: one of them would take it before it is bound. */
export async function freePort(): Promise<number> {
  for (;;) {
    const port = randomInt(12_000, 30_000)
    if (await isFree(port)) return port
  }
}

const isFree = (port: number): Promise<boolean> =>
  new Promise((resolve) => {
    const server = createServer().once("error", () => resolve(false))
    server.listen(port, "127.0.0.1", () => server.close(() => resolve(true)))
  })
