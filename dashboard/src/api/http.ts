// Calls the engine: JSON in and out, a refusal as an error that can be shown, each write under a key of its own.
// What goes there and comes back is typed by the operation of the contract that the caller names.
import type { Answer, OperationId, wire } from "@millrace/sdk"

type Part<Operation, Name extends string> = Name extends keyof Operation ? Operation[Name] : undefined
type QueryOf<Id extends OperationId> = Part<wire.Operations[Id], "query">
type BodyOf<Id extends OperationId> = Part<wire.Operations[Id], "body">
/** Left out where the operation does without one. */
type BodyArgument<Id extends OperationId> = undefined extends BodyOf<Id> ? [body?: BodyOf<Id>] : [body: BodyOf<Id>]

export type Violation = wire.Violation

/** What the engine said no with, or that it could not be reached. */
export class ApiError extends Error {
  readonly status: number
  readonly code: string
  /** Where in the request something is wrong, if the engine said so. */
  readonly violations: readonly Violation[]
  readonly requestId: string | undefined

  constructor(status: number, body: Partial<wire.ErrorBody>) {
    super(body.message ?? `the engine answered ${status}`)
    this.status = status
    this.code = body.error ?? "unknown"
    this.violations = Array.isArray(body.details) ? body.details : []
    this.requestId = body.requestId
  }
}

type Method = "GET" | "POST" | "PUT" | "PATCH" | "DELETE"

let onSignedOut: () => void = () => {}

/** Called when a request was refused because the caller is not signed in, or no longer. */
export function whenSignedOut(listener: () => void): void {
  onSignedOut = listener
}

interface Content {
  readonly query?: object | undefined
  readonly body?: unknown
}

/** The last write, asked for again within this time, is the other half of a double click. After another write it is meant anew. */
const DOUBLE_CLICK_MS = 500
let lastWrite: { readonly name: string; readonly answer: Promise<unknown> } | undefined

function write<T>(method: Method, path: string, body?: unknown): Promise<T> {
  const name = JSON.stringify([method, path, body])
  if (lastWrite?.name === name) return lastWrite.answer as Promise<T>
  const answer = send<T>(method, path, { body })
  const mine = { name, answer }
  lastWrite = mine
  setTimeout(() => {
    if (lastWrite === mine) lastWrite = undefined
  }, DOUBLE_CLICK_MS)
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

export const get = <Id extends OperationId>(path: string, query?: QueryOf<Id>): Promise<Answer<Id>> =>
  send("GET", path, { query: query as object | undefined })
export const post = <Id extends OperationId>(path: string, ...[body]: BodyArgument<Id>): Promise<Answer<Id>> =>
  write("POST", path, body ?? {})
export const put = <Id extends OperationId>(path: string, ...[body]: BodyArgument<Id>): Promise<Answer<Id>> =>
  write("PUT", path, body)
export const patch = <Id extends OperationId>(path: string, ...[body]: BodyArgument<Id>): Promise<Answer<Id>> =>
  write("PATCH", path, body)
export const remove = <Id extends OperationId>(path: string): Promise<Answer<Id>> => write("DELETE", path)

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

function queryText(query: object = {}): string {
  const pairs = Object.entries(query).flatMap(([name, value]) =>
    value === undefined || value === "" ? [] : [[name, String(value)]],
  )
  return pairs.length === 0 ? "" : `?${new URLSearchParams(pairs)}`
}

/** `crypto.randomUUID` exists on https and localhost only. */
const newKey = (): string =>
  [...crypto.getRandomValues(new Uint8Array(16))].map((byte) => byte.toString(16).padStart(2, "0")).join("")
