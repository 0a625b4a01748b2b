// A buyer who does not give up: the same payment is sent under the same key until it is accepted, sometimes twice at once.
import { randomUUID } from "node:crypto"
import { setTimeout as sleep } from "node:timers/promises"
import type { HttpClient } from "../load/http-client.ts"
import type { Tally } from "../load/tally.ts"

export interface Market {
  readonly apiUrl: string
  readonly client: HttpClient
  readonly tally: Tally
  readonly signal: AbortSignal
}

const PAUSE_MS = 100
const TWICE = 0.2

/** What was begun is finished after the signal too: an answer that got lost is asked for again. */
export async function buy(market: Market): Promise<void> {
  while (!market.signal.aborted) {
    const key = randomUUID()
    const copies = Math.random() < TWICE ? 2 : 1
    await Promise.all(Array.from({ length: copies }, () => payUntilAccepted(market, key)))
    await sleep(PAUSE_MS * Math.random())
  }
}

async function payUntilAccepted({ apiUrl, client, tally }: Market, key: string): Promise<void> {
  const body = { amount: "19.99", currency: "EUR" }
  for (;;) {
    const answer = await client.post(`${apiUrl}/payments`, body, { "idempotency-key": key })
    tally.addPost(key, answer)
    if (answer.status === 202) return
    await sleep(PAUSE_MS)
  }
}
