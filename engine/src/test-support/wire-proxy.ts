// A proxy that speaks PostgreSQL's protocol: it answers with an error of its own instead of the server, or loses prepared statements
// between transactions as a pooler does that does not know them.
import { connect, createServer, type Server, type Socket } from "node:net"

/** The fields of an ErrorResponse that a driver shows. */
export interface WireError {
  readonly code: string
  /** FATAL ends the connection, also while it is being opened. */
  readonly severity: "ERROR" | "FATAL"
  readonly routine?: string
}

export interface WireProxy {
  /** The given DSN, through the proxy. */
  readonly dsn: string
  /** From now on the proxy answers; undefined: the server does. */
  fault(error: WireError | undefined): void
  /** From now on a connection that is idle forgets what was prepared on it. */
  forget(): void
  close(): Promise<void>
}

interface Mode {
  error: WireError | undefined
  isForgetful: boolean
}

export async function createWireProxy(dsn: string): Promise<WireProxy> {
  const url = new URL(dsn)
  const target = { host: url.hostname, port: Number(url.port) }
  const mode: Mode = { error: undefined, isForgetful: false }
  const sockets = new Set<Socket>()
  const server = createServer((client) => {
    const backend = connect(target)
    for (const [one, other] of [[client, backend] as const, [backend, client] as const]) {
      sockets.add(one)
      one.on("error", () => other.destroy())
      one.on("close", () => {
        sockets.delete(one)
        other.destroy()
      })
    }
    join(client, backend, mode)
  })
  url.hostname = "127.0.0.1"
  url.port = String(await listen(server))
  return {
    dsn: url.toString(),
    fault: (error) => {
      mode.error = error
    },
    forget: () => {
      mode.isForgetful = true
    },
    close: async () => {
      const closed = new Promise((resolve) => server.close(resolve))
      for (const socket of sockets) socket.destroy()
      await closed
    },
  }
}

const listen = (server: Server): Promise<number> =>
  new Promise((resolve) => {
    server.listen(0, "127.0.0.1", () => resolve((server.address() as { port: number }).port))
  })

const SYNC = "S"
const QUERY = "Q"
const READY = "Z"

function join(client: Socket, backend: Socket, mode: Mode): void {
  /** What the client has sent while the statements were being forgotten. */
  const held: Buffer[] = []
  let isForgetting = false
  const toServer = frames(true, (type, frame) => {
    if (isForgetting) held.push(frame)
    else if (!mode.error) backend.write(frame)
    else if (type === SYNC || type === QUERY || type === "") answer(client, mode.error)
  })
  const toClient = frames(false, (type, frame) => {
    const isReady = type === READY
    if (!isForgetting) client.write(frame)
    else if (isReady) {
      isForgetting = false
      for (const one of held.splice(0)) backend.write(one)
      return
    }
    // The byte after the length is the state of the transaction: none.
    if (isReady && mode.isForgetful && frame[5] === 0x49) {
      isForgetting = true
      backend.write(message(QUERY, "deallocate all\0"))
    }
  })
  client.on("data", toServer)
  backend.on("data", toClient)
}

/** Cuts a stream into messages. The first of a client has no type. */
function frames(startsUntyped: boolean, take: (type: string, frame: Buffer) => void): (chunk: Buffer) => void {
  let rest: Buffer = Buffer.alloc(0)
  let isUntyped = startsUntyped
  return (chunk) => {
    rest = Buffer.concat([rest, chunk])
    for (;;) {
      const at = isUntyped ? 0 : 1
      const size = rest.length >= at + 4 ? at + rest.readUInt32BE(at) : Number.POSITIVE_INFINITY
      if (rest.length < size) return
      const frame = rest.subarray(0, size)
      rest = rest.subarray(size)
      take(isUntyped ? "" : String.fromCharCode(frame[0] as number), frame)
      isUntyped = false
    }
  }
}

function answer(client: Socket, { severity, code, routine = "exec_fault" }: WireError): void {
  const fields = { S: severity, V: severity, C: code, M: `a fault of the wire: ${code}`, R: routine }
  const text = Object.entries(fields).map(([field, value]) => `${field}${value}\0`)
  client.write(message("E", `${text.join("")}\0`))
  if (severity === "FATAL") client.end()
  else client.write(message(READY, "I"))
}

function message(type: string, body: string): Buffer {
  const frame = Buffer.alloc(5 + Buffer.byteLength(body))
  frame.write(type, 0)
  frame.writeUInt32BE(frame.length - 1, 1)
  frame.write(body, 5)
  return frame
}
