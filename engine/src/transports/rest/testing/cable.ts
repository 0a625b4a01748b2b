// A cable between engine and database that a test can pull and plug in again.
import { once } from "node:events"
import { type AddressInfo, connect, createServer, type Socket } from "node:net"

export interface Cable {
  /** The database's address, by way of the cable. */
  readonly dsn: string
  pull(): void
  plug(): void
  close(): Promise<void>
}

export async function createCable(dsn: string): Promise<Cable> {
  const { hostname, port } = new URL(dsn)
  const sockets = new Set<Socket>()
  let plugged = true
  const server = createServer((near) => {
    if (!plugged) return near.destroy()
    const far = connect(Number(port), hostname)
    for (const [socket, other] of [
      [near, far],
      [far, near],
    ] as const) {
      sockets.add(socket)
      socket
        .on("error", () => {})
        .on("close", () => {
          sockets.delete(socket)
          other.destroy()
        })
      socket.pipe(other)
    }
  })
  server.listen(0, "127.0.0.1")
  await once(server, "listening")
  const url = new URL(dsn)
  url.host = `127.0.0.1:${(server.address() as AddressInfo).port}`
  const cut = () => {
    for (const socket of sockets) socket.destroy()
  }
  return {
    dsn: url.toString(),
    pull() {
      plugged = false
      cut()
    },
    plug() {
      plugged = true
    },
    async close() {
      cut()
      server.close()
      await once(server, "close")
    },
  }
}
