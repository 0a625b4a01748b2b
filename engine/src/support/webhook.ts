// Calls a webhook: a few tries, each with a limit of its own. The URL may hold a token: it is never in what is said.
import { setTimeout as pause } from "node:timers/promises"

export interface Delivery {
  readonly url: string
  readonly body: object
  /** Of one try. */
  readonly timeoutMs?: number
  /** Before each further try. */
  readonly pausesMs?: readonly number[]
}

const TIMEOUT_MS = 5_000
const PAUSES_MS = [1_000, 5_000]

/** Undefined when it was taken; otherwise why not. */
export async function deliver({ url, body, timeoutMs = TIMEOUT_MS, pausesMs = PAUSES_MS }: Delivery) {
  let failure = await post(url, body, timeoutMs)
  for (const ms of pausesMs) {
    if (failure === undefined) return undefined
    // A process that ends does not wait for it.
    await pause(ms, undefined, { ref: false })
    failure = await post(url, body, timeoutMs)
  }
  return failure
}

async function post(url: string, body: object, timeoutMs: number): Promise<string | undefined> {
  try {
    const response = await fetch(url, {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify(body),
      // A redirect leads to a place that the operator did not choose.
      redirect: "manual",
      signal: AbortSignal.timeout(timeoutMs),
    })
    await response.body?.cancel()
    return response.ok ? undefined : `answered ${response.status}`
  } catch (error) {
    return describe(error)
  }
}

/** By name or code: a message may quote the URL. */
function describe(error: unknown): string {
  const { name, cause } = error as { name?: unknown; cause?: { code?: unknown } }
  if (name === "TimeoutError") return "did not answer in time"
  return typeof cause?.code === "string" ? cause.code : "could not be reached"
}
