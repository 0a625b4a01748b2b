// How a step calls a service: with its own key, so that a repeated call changes nothing, and with an error that says whether to try again.
import { RetryableError, type Step } from "millrace"
import { type Request, type Response, request } from "./request.ts"

export type Service = "accounts" | "identity" | "profile" | "insurance" | "payments" | "care"

type Caller = Pick<Step, "key" | "signal">

const SOON = { baseDelay: "PT0.5S", maxDelay: "PT10S" }

export async function post<Answer>(step: Caller, service: Service, path: string, content: object): Promise<Answer> {
  const headers = { "content-type": "application/json", "idempotency-key": step.key }
  const { status, text } = await send(service, path, {
    method: "POST",
    headers,
    body: JSON.stringify(content),
    signal: step.signal,
  })
  if (status >= 400) throw new Error(`${service} answered ${status}: ${text}`)
  return JSON.parse(text) as Answer
}

/** Undefined when there is none. */
export async function find<Answer>(step: Caller, service: Service, path: string): Promise<Answer | undefined> {
  const { status, text } = await send(service, path, { method: "GET", signal: step.signal })
  if (status === 404) return undefined
  if (status >= 400) throw new Error(`${service} answered ${status}: ${text}`)
  return JSON.parse(text) as Answer
}

/** No answer, or one that says that the service is not well: another try may go better. */
async function send(service: Service, path: string, options: Request): Promise<Response> {
  const response = await request(urlOf(service) + path, options).catch((cause) => {
    throw new RetryableError(`${service} gave no answer`, { ...SOON, cause })
  })
  if (response.status >= 500) throw new RetryableError(`${service} answered ${response.status}`, SOON)
  return response
}

function urlOf(service: Service): string {
  const name = `${service.toUpperCase()}_URL`
  const url = process.env[name]
  if (url === undefined) throw new Error(`${name} must say where the service is`)
  return url
}
