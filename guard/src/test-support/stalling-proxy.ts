// A way to a server that can stand still, and lead to another server.
import { once } from "node:events"
import { connect, createServer, type Socket } from "node:net"

export interface StallingProxy {
  readonly port: number
  /** What is sent from now on arrives when it goes on. */
  stall(): void
  goOn(): void
  /** Connections end; new ones lead to the other port. */
  leadTo(port: number): void
  close(): Promise<void>
}

export async function stallingProxy(port: number): Promise<StallingProxy> {
  let target = port
  let isStalled = false
  const sockets = new Set<Socket>()
  const server = createServer((near) => {
    const far = connect(target, "127.0.0.1")
    for (const [from, to] of [
      [near, far],
      [far, near],
    ] as const) {
      sockets.add(from)
      from.pipe(to)
      from.on("error", () => to.destroy())
      from.on("close", () => {
        sockets.delete(from)
        to.destroy()
      })
      if (isStalled) from.pause()
    }
  }).listen(0, "127.0.0.1")
  await once(server, "listening")
  const each = (act: (socket: Socket) => void) => {
    for (const socket of sockets) act(socket)
  }
  return {
    port: (server.address() as { port: number }).port,
    stall() {
      isStalled = true
      each((socket) => socket.unpipe() && socket.pause())
    },
    goOn() {
      isStalled = false
      each((socket) => socket.destroy())
    },
    leadTo(other) {
      target = other
      each((socket) => socket.destroy())
    },
    async close() {
      each((socket) => socket.destroy())
      server.close()
      await once(server, "close")
    },
  }
}
