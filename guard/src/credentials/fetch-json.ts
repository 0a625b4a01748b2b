// Asks a server that the operator has named for a JSON document: in limited time, of limited size, and nowhere else than there.

/** The server did not answer, or not with what was asked for. The message is for operators. */
export class CannotFetch extends Error {
  /** What it answered with, where it answered. */
  readonly status: number | undefined

  constructor(url: URL, reason: string, { status, cause }: { status?: number; cause?: unknown } = {}) {
    super(`${url.origin}${url.pathname}: ${reason}`, { cause })
    this.name = "CannotFetch"
    this.status = status
  }
}

const TIMEOUT_MS = 5_000
const MOST_BYTES = 65_536

interface Asked {
  readonly method?: "GET" | "POST"
  readonly headers?: Readonly<Record<string, string>>
  /** A form; sent with POST. */
  readonly form?: Readonly<Record<string, string>>
}

/** Redirects are not followed: they would lead to a server that the settings do not name. */
export async function fetchJson(address: string, { method = "GET", headers = {}, form }: Asked = {}): Promise<unknown> {
  const url = new URL(address)
  try {
    const response = await fetch(url, {
      method,
      headers: { accept: "application/json", ...headers },
      redirect: "error",
      signal: AbortSignal.timeout(TIMEOUT_MS),
      ...(form ? { body: new URLSearchParams(form) } : {}),
    })
    const text = await textOf(response, url)
    if (!response.ok) throw new CannotFetch(url, `it answered ${response.status}`, { status: response.status })
    return JSON.parse(text)
  } catch (error) {
    throw error instanceof CannotFetch ? error : new CannotFetch(url, (error as Error).message, { cause: error })
  }
}

async function textOf({ body }: Response, url: URL): Promise<string> {
  const chunks: Uint8Array[] = []
  let bytes = 0
  for await (const chunk of body ?? []) {
    bytes += (chunk as Uint8Array).byteLength
    if (bytes > MOST_BYTES) throw new CannotFetch(url, `the answer is longer than ${MOST_BYTES} bytes`)
    chunks.push(chunk as Uint8Array)
  }
  return Buffer.concat(chunks).toString("utf8")
}
