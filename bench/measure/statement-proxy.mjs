// A loopback TCP proxy in front of PostgreSQL that counts the statements clients send, BEGIN and COMMIT left out.
//
// It reads only the frontend half of the protocol: Query carries its text; Execute names a portal, which Bind tied to
// a statement, which Parse gave a text. pg_stat_statements would need a preloaded library, and the cluster stays stock.
import net from "node:net"

const TRANSACTION_EDGE = /^\s*(begin|commit|start\s+transaction|end)\b/i
const MESSAGE = { query: 0x51, parse: 0x50, bind: 0x42, execute: 0x45 }

export async function startStatementProxy({ host, port }) {
  const counts = new Map()
  const record = (text) => {
    const statement = text.replace(/\s+/g, " ").trim()
    if (statement && !TRANSACTION_EDGE.test(statement)) counts.set(statement, (counts.get(statement) ?? 0) + 1)
  }
  const sockets = new Set()
  const server = net.createServer((client) => {
    const upstream = net.connect({ host, port, noDelay: true })
    const read = frontendReader(record)
    client.setNoDelay(true)
    client.on("data", read)
    client.pipe(upstream).pipe(client)
    for (const socket of [client, upstream]) {
      sockets.add(socket)
      socket.on("error", () => socket.destroy())
      socket.on("close", () => {
        sockets.delete(socket)
        client.destroy()
        upstream.destroy()
      })
    }
  })
  await new Promise((resolve) => server.listen(0, "127.0.0.1", resolve))
  return {
    port: server.address().port,
    reset: () => counts.clear(),
    counts: () => new Map(counts),
    close() {
      for (const socket of sockets) socket.destroy()
      server.close()
    },
  }
}

// Returns a function that takes chunks of one connection's frontend bytes and records each executed statement.
export function frontendReader(record) {
  const statements = new Map()
  const portals = new Map()
  let rest = Buffer.alloc(0)
  let started = false

  return (chunk) => {
    rest = rest.length ? Buffer.concat([rest, chunk]) : chunk
    for (let message = nextMessage(); message; message = nextMessage()) handle(message)
  }

  // Before the startup message there is no type byte, and an SSLRequest (code 80877103) may come first.
  function nextMessage() {
    const header = started ? 5 : 4
    if (rest.length < header) return undefined
    const end = header - 4 + rest.readInt32BE(header - 4)
    if (rest.length < end) return undefined
    const message = { type: started ? rest[0] : undefined, body: rest.subarray(header, end) }
    if (!started) started = message.body.readInt32BE(0) !== 80877103
    rest = rest.subarray(end)
    return message
  }

  function handle({ type, body }) {
    const [first, second] = cStrings(body)
    if (type === MESSAGE.query) splitStatements(first).forEach(record)
    else if (type === MESSAGE.parse) statements.set(first, second)
    else if (type === MESSAGE.bind) portals.set(first, statements.get(second) ?? "")
    else if (type === MESSAGE.execute) record(portals.get(first) ?? "")
  }
}

function cStrings(body) {
  const firstEnd = body.indexOf(0)
  if (firstEnd < 0) return ["", ""]
  const secondEnd = body.indexOf(0, firstEnd + 1)
  return [body.toString("utf8", 0, firstEnd), secondEnd < 0 ? "" : body.toString("utf8", firstEnd + 1, secondEnd)]
}

// Semicolons inside quotes, dollar quotes and comments do not end a statement.
function splitStatements(text) {
  const parts = text.match(/(?:'[^']*'|"[^"]*"|(\$\w*\$)[\s\S]*?\1|--[^\n]*|\/\*[\s\S]*?\*\/|[^;])+/g)
  return parts ?? []
}
