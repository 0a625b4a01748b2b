// A door between an engine and its database that writes down what comes through: every statement that is run, and every round trip.
import { connect, createServer, type Socket } from "node:net"

export interface StatementWatch {
  /** The given DSN, through the door. */
  readonly dsn: string
  /** Texts of the statements, in the order they were run, without the `begin` and `commit` around them. */
  readonly statements: string[]
  /** How often a client waited for an answer: one Sync, or one simple query. */
  readonly roundTrips: number
  forget(): void
  close(): Promise<void>
}

export async function createStatementWatch(dsn: string): Promise<StatementWatch> {
  const url = new URL(dsn)
  const target = { host: url.hostname, port: Number(url.port) }
  const sockets = new Set<Socket>()
  const seen = { statements: [] as string[], roundTrips: 0 }
  const server = createServer((client) => {
    const database = connect(target)
    const read = reader(seen)
    client.on("data", (chunk: Buffer) => read(chunk))
    client.pipe(database).pipe(client)
    for (const [here, there] of [
      [client, database],
      [database, client],
    ] as const) {
      sockets.add(here)
      here.on("error", () => there.destroy())
      here.on("close", () => there.destroy())
    }
  })
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve))
  url.hostname = "127.0.0.1"
  url.port = String((server.address() as { port: number }).port)
  return {
    dsn: url.toString(),
    statements: seen.statements,
    get roundTrips() {
      return seen.roundTrips
    },
    forget() {
      seen.statements.length = 0
      seen.roundTrips = 0
    },
    close() {
      for (const socket of sockets) socket.destroy()
      return new Promise((resolve) => server.close(() => resolve()))
    },
  }
}

interface Seen {
  readonly statements: string[]
  roundTrips: number
}

/** Reads what the client sends, message by message. The first has no type, and is not read. */
function reader(seen: Seen): (chunk: Buffer) => void {
  const prepared = new Map<string, string>()
  let bound = ""
  let rest: Buffer = Buffer.alloc(0)
  let started = false
  const note = (text: string) => void (/^(begin|commit)\b/.test(text) || seen.statements.push(text))
  const handle = (type: string, body: Buffer): void => {
    const [first = "", second = ""] = body.toString("utf8").split("\0", 2)
    if (type === "P") prepared.set(first, second)
    else if (type === "B") bound = prepared.get(second) ?? ""
    else if (type === "E" || type === "Q") note(type === "Q" ? first : bound)
    if (type === "S" || type === "Q") seen.roundTrips += 1
  }
  return (chunk) => {
    rest = Buffer.concat([rest, chunk])
    for (;;) {
      const head = started ? 1 : 0
      const end = rest.length < head + 4 ? Number.POSITIVE_INFINITY : head + rest.readInt32BE(head)
      if (rest.length < end) return
      if (started) handle(String.fromCharCode(rest[0] as number), rest.subarray(5, end))
      started = true
      rest = rest.subarray(end)
    }
  }
}
