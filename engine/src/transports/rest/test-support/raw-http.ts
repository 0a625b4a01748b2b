// Speaks to a port byte by byte: for requests that no client library would send.
import { once } from "node:events"
import { connect, type Socket } from "node:net"

export interface RawConnection {
  readonly socket: Socket
  write(text: string): void
  /** Everything that came, once the other side has hung up. */
  closed(): Promise<string>
}

export async function rawConnection(url: string): Promise<RawConnection> {
  const { hostname, port } = new URL(url)
  const socket = connect(Number(port), hostname)
  let received = ""
  socket.setEncoding("utf8").on("data", (text) => {
    received += text
  })
  socket.on("error", () => {})
  await once(socket, "connect")
  return {
    socket,
    write: (text) => void socket.write(text),
    async closed() {
      // Not with `once` of events, which would throw the error of a reset: a server may hang up before it has read everything.
      if (!socket.closed) await new Promise((resolve) => socket.once("close", resolve))
      return received
    },
  }
}

/** One request, and all of the answer; `Connection: close` is up to the caller. */
export async function rawRequest(url: string, text: string): Promise<string> {
  const connection = await rawConnection(url)
  connection.write(text)
  return connection.closed()
}
