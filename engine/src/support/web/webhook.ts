// Calls a webhook: a few tries, each with a limit of its own. The URL may hold a token: it is never in what is said.
import { setTimeout as pause } from "node:timers/promises"
import { postJson } from "./post-json.ts"

export interface Delivery {
  readonly url: string
  readonly body: object
  /** The limit for one try. */
  readonly timeoutMs?: number
  /** The pause before each further try. */
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

/** The operator chose the URL: any address may be reached by it. A redirect leads to a place that the operator did not choose. */
async function post(url: string, body: object, timeoutMs: number): Promise<string | undefined> {
  const posted = await postJson({ url, body: JSON.stringify(body), timeoutMs })
  if ("failure" in posted) return posted.failure
  return posted.status >= 200 && posted.status < 300 ? undefined : `answered ${posted.status}`
}
