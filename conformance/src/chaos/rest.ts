// Plain requests over REST, so that no client repeats or hides an answer.
import type { Answer } from "./jobs/door.ts"

const PATIENCE_MS = 10_000

export interface Request {
  readonly method: "GET" | "POST" | "PATCH"
  readonly path: string
  readonly body?: object
  readonly key?: string | undefined
}

/** A server that is being killed breaks off, refuses the connection, or says nothing: all of that is unknown. */
export async function askRest<T>(
  port: number | undefined,
  request: Request,
  read: (body: never) => T,
): Promise<Answer<T>> {
  let answer: Response
  let text: string
  try {
    answer = await send(port, request)
    text = await answer.text()
  } catch (error) {
    return { is: "unknown", isUnsent: isRefused(error) }
  }
  if (answer.ok) return { is: "ok", value: read(JSON.parse(text) as never) }
  return refusalOf(request, answer, text)
}

/** The connection was refused: no process listened on the port. */
const isRefused = (error: unknown): boolean =>
  ((error as Error).cause as NodeJS.ErrnoException | undefined)?.code === "ECONNREFUSED"

const send = (port: number | undefined, { method, path, body, key }: Request): Promise<Response> =>
  fetch(`http://127.0.0.1:${port}${path}`, {
    method,
    headers: {
      ...(body ? { "content-type": "application/json" } : {}),
      ...(key === undefined ? {} : { "idempotency-key": key }),
    },
    ...(body ? { body: JSON.stringify(body) } : {}),
    signal: AbortSignal.timeout(PATIENCE_MS),
  })

function refusalOf({ method, path }: Request, answer: Response, text: string): Answer<never> {
  const { error } = JSON.parse(text) as { error: string }
  if (answer.status === 503 && answer.headers.get("retry-after") !== null)
    return { is: error === "backpressure" ? "full" : "unknown" }
  if (answer.status === 409 || answer.status === 404) return { is: "no" }
  throw new Error(`${method} ${path} was answered with ${answer.status}: ${text}`)
}
