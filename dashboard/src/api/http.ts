// Calls the engine: JSON in and out, a refusal as an error that can be shown, each write under a key of its own.

export interface Violation {
  readonly path: string
  readonly message: string
  /** What to do about it. */
  readonly hint?: string
}

/** What the engine said no with, or that it could not be reached. */
export class ApiError extends Error {
  readonly status: number
  readonly code: string
  readonly details: unknown
  readonly requestId: string | undefined

  constructor(status: number, body: { error?: string; message?: string; details?: unknown; requestId?: string }) {
    super(body.message ?? `the engine answered ${status}`)
    this.status = status
    this.code = body.error ?? "unknown"
    this.details = body.details
    this.requestId = body.requestId
  }

  /** Where in the request something is wrong, if the engine said so. */
  get violations(): readonly Violation[] {
    const list = Array.isArray(this.details) ? this.details : (this.details as { violations?: unknown })?.violations
    return Array.isArray(list) ? (list as Violation[]) : []
  }
}

export type Query = Readonly<Record<string, string | number | boolean | undefined>>

type Method = "GET" | "POST" | "PUT" | "PATCH" | "DELETE"

let onSignedOut: () => void = () => {}

/** Called when a request was refused because nobody is signed in, or no longer. */
export function whenSignedOut(listener: () => void): void {
  onSignedOut = listener
}

interface Content {
  readonly query?: Query
  readonly body?: unknown
}

/** A write that is asked for again within this time is the other half of a double click. */
const DOUBLE_CLICK_MS = 500
const justSent = new Map<string, Promise<unknown>>()

export function call<T>(method: Method, path: string, content: Content = {}): Promise<T> {
  if (method === "GET") return send<T>(method, path, content)
  const name = JSON.stringify([method, path, content])
  const before = justSent.get(name)
  if (before) return before as Promise<T>
  const answer = send<T>(method, path, content)
  justSent.set(name, answer)
  setTimeout(() => justSent.delete(name), DOUBLE_CLICK_MS)
  return answer
}

async function send<T>(method: Method, path: string, { query, body }: Content): Promise<T> {
  const response = await reach(path + queryText(query), {
    method,
    credentials: "same-origin",
    headers: {
      ...(body === undefined ? {} : { "content-type": "application/json" }),
      ...(method === "GET" ? {} : { "idempotency-key": newKey() }),
    },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  })
  const answer = await readJson(response)
  if (response.ok) return answer as T
  if (response.status === 401 && path !== "/v1/session") onSignedOut()
  throw new ApiError(response.status, (answer ?? {}) as object)
}

export const get = <T>(path: string, query?: Query): Promise<T> => call<T>("GET", path, { query })
export const post = <T>(path: string, body: unknown = {}): Promise<T> => call<T>("POST", path, { body })
export const put = <T>(path: string, body: unknown): Promise<T> => call<T>("PUT", path, { body })
export const patch = <T>(path: string, body: unknown): Promise<T> => call<T>("PATCH", path, { body })
export const remove = <T>(path: string): Promise<T> => call<T>("DELETE", path)

async function reach(url: string, init: RequestInit): Promise<Response> {
  try {
    return await fetch(url, init)
  } catch {
    throw new ApiError(0, { error: "unreachable", message: "The engine cannot be reached. Is it running?" })
  }
}

async function readJson(response: Response): Promise<unknown> {
  const text = await response.text()
  try {
    return text === "" ? undefined : JSON.parse(text)
  } catch {
    return undefined
  }
}

function queryText(query: Query = {}): string {
  const pairs = Object.entries(query).flatMap(([name, value]) =>
    value === undefined || value === "" ? [] : [[name, String(value)]],
  )
  return pairs.length === 0 ? "" : `?${new URLSearchParams(pairs)}`
}

/** `crypto.randomUUID` exists on https and localhost only. */
const newKey = (): string =>
  [...crypto.getRandomValues(new Uint8Array(16))].map((byte) => byte.toString(16).padStart(2, "0")).join("")
