// Speaks to a port byte by byte: for requests that no client library would send.
import { once } from "node:events"
import { connect, type Socket } from "node:net"

export interface RawConnection {
  readonly socket: Socket
  /** What has come so far. */
  text(): string
  /** Everything that came, once the other side has hung up, and whether it reset the connection. */
  closed(): Promise<{ readonly text: string; readonly wasReset: boolean }>
}

export async function rawConnection(url: string): Promise<RawConnection> {
  const { hostname, port } = new URL(url)
  const socket = connect(Number(port), hostname)
  let received = ""
  let wasReset = false
  socket.setEncoding("latin1").on("data", (text) => {
    received += text
  })
  socket.on("error", (error: NodeJS.ErrnoException) => {
    wasReset ||= error.code === "ECONNRESET"
  })
  await once(socket, "connect")
  return {
    socket,
    text: () => received,
    async closed() {
      // Not with `once` of events, which would throw the error of a reset.
      if (!socket.closed) await new Promise((resolve) => socket.once("close", resolve))
      return { text: received, wasReset }
    },
  }
}

/** One request, and all of the answer; `Connection: close` is up to the caller. */
export async function rawRequest(url: string, text: string): Promise<string> {
  const connection = await rawConnection(url)
  connection.socket.write(text)
  return (await connection.closed()).text
}

export const statusOf = (answer: string): number => Number(answer.slice(9, 12))
