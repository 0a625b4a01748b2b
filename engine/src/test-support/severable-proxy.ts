// A door between an engine and its database, or its Kafka, that a test can shut: every connection through it breaks, and none comes through.
import { connect, createServer, type Server, type Socket } from "node:net"
import { steadyPort } from "./steady-port.ts"

export interface SeverableProxy {
  /** The given DSN, through the door. */
  readonly dsn: string
  sever(): Promise<void>
  /** Nothing comes through any more, and nothing breaks: a host that has vanished, as its peers see it. */
  silence(): void
  /** What was held back comes through after all. */
  speak(): void
  /** From now on what the server answers is lost; what it is sent still arrives. `false`: it is heard again. */
  deafen(isDeaf: boolean): void
  heal(): Promise<void>
  /** From now on new connections lead to this server, as when a standby has taken over. */
  aim(dsn: string): void
  close(): Promise<void>
}

function addressOf(dsn: string): { readonly host: string; readonly port: number } {
  const { hostname, port } = new URL(dsn)
  return { host: hostname, port: Number(port) }
}

/** `at`: its port; a free one unless it is given. */
export async function createSeverableProxy(dsn: string, at?: number): Promise<SeverableProxy> {
  const url = new URL(dsn)
  let target = addressOf(dsn)
  const sockets = new Set<Socket>()
  const held: [Socket, Buffer][] = []
  let silent = false
  let deaf = false
  const join = (client: Socket, database: Socket): void => {
    for (const [here, there] of [
      [client, database],
      [database, client],
    ] as const) {
      sockets.add(here)
      here.on("data", (chunk) => {
        if (silent) held.push([there, chunk])
        else if (!deaf || here === client) there.write(chunk)
      })
      here.on("error", () => there.destroy())
      here.on("close", () => {
        sockets.delete(here)
        there.destroy()
      })
    }
  }
  const open = (port: number): Promise<Server> =>
    new Promise((resolve, reject) => {
      const server = createServer((client) => join(client, connect(target)))
      server.once("error", reject)
      server.listen(port, "127.0.0.1", () => resolve(server))
    })
  const port = at ?? (await steadyPort())
  let server = await open(port)
  url.hostname = "127.0.0.1"
  url.port = String(port)
  const sever = async () => {
    const closed = new Promise((resolve) => server.close(resolve))
    for (const socket of sockets) socket.destroy()
    await closed
  }
  return {
    dsn: url.toString(),
    sever,
    silence: () => {
      silent = true
    },
    speak: () => {
      silent = false
      for (const [there, chunk] of held.splice(0)) there.write(chunk)
    },
    deafen: (isDeaf) => {
      deaf = isDeaf
    },
    heal: async () => {
      server = await open(port)
    },
    aim: (other) => {
      target = addressOf(other)
    },
    close: async () => {
      if (server.listening) await sever()
    },
  }
}
