// Reads an answer of HTTP/1.1 from bytes, as far as a server of ours writes it.

export interface RestAnswer {
  /** 0 where the connection ended without an answer. */
  readonly status: number
  readonly headers: Readonly<Record<string, string>>
  readonly text: string
  /** Why there is no answer. */
  readonly failure?: string
}

const HEAD_END = "\r\n\r\n"

export function readResponse(bytes: Buffer): RestAnswer {
  const end = bytes.indexOf(HEAD_END)
  if (end < 0) return { status: 0, headers: {}, text: "", failure: `closed after ${bytes.length} bytes` }
  const [first = "", ...lines] = bytes.subarray(0, end).toString("latin1").split("\r\n")
  const status = Number(first.split(" ")[1])
  const rest = bytes.subarray(end + HEAD_END.length)
  if (status < 200) return readResponse(rest)
  const headers = Object.fromEntries(lines.map(headerOf))
  const text = headers["transfer-encoding"] === "chunked" ? unchunked(rest) : rest
  return { status, headers, text: text.toString("utf8") }
}

function headerOf(line: string): [string, string] {
  const colon = line.indexOf(":")
  return [line.slice(0, colon).toLowerCase(), line.slice(colon + 1).trim()]
}

function unchunked(bytes: Buffer): Buffer {
  const parts: Buffer[] = []
  for (let at = 0; at < bytes.length; ) {
    const lineEnd = bytes.indexOf("\r\n", at)
    const size = Number.parseInt(bytes.subarray(at, lineEnd).toString("latin1"), 16)
    if (lineEnd < 0 || !(size > 0)) break
    parts.push(bytes.subarray(lineEnd + 2, lineEnd + 2 + size))
    at = lineEnd + 2 + size + 2
  }
  return Buffer.concat(parts)
}
