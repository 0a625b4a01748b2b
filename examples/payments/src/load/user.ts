// One user of the load: pays, sometimes sends the same payment again, sometimes looks after it, and pauses in between.
import { randomUUID } from "node:crypto"
import { setTimeout as sleep } from "node:timers/promises"
import type { HttpClient } from "./http-client.ts"
import type { Tally } from "./tally.ts"

export interface Crowd {
  readonly apiUrl: string
  readonly client: HttpClient
  readonly tally: Tally
  /** From the end of an answer to the next request, on average. */
  readonly pauseMs: number
  readonly signal: AbortSignal
}

const REPEATS = 0.1
const LOOKS = 0.1

export class User {
  readonly #crowd: Crowd
  #last: { readonly key: string; readonly body: object; readonly id: string } | undefined

  constructor(crowd: Crowd) {
    this.#crowd = crowd
  }

  /** The first request comes at any moment of the first pause, so that the users are not all there at once. */
  async act(): Promise<void> {
    const { pauseMs, signal } = this.#crowd
    await this.#pause(pauseMs * Math.random())
    while (!signal.aborted) {
      await this.#once()
      await this.#pause(pauseMs * (0.5 + Math.random()))
    }
  }

  #pause(ms: number): Promise<unknown> {
    return sleep(ms, undefined, { signal: this.#crowd.signal }).catch(() => {})
  }

  async #once(): Promise<void> {
    const dice = Math.random()
    if (this.#last && dice < LOOKS) await this.#look(this.#last.id)
    else if (this.#last && dice < LOOKS + REPEATS) await this.#pay(this.#last.key, this.#last.body)
    else await this.#pay(randomUUID(), { amount: 100 + Math.floor(Math.random() * 100_000), currency: "EUR" })
  }

  async #pay(key: string, body: object): Promise<void> {
    const { apiUrl, client, tally } = this.#crowd
    const answer = await client.post(`${apiUrl}/payments`, body, { "idempotency-key": key })
    tally.addPost(key, answer)
    if (answer.status === 202) this.#last = { key, body, id: JSON.parse(answer.body).payment_id }
  }

  async #look(id: string): Promise<void> {
    const { apiUrl, client, tally } = this.#crowd
    tally.addGet(await client.get(`${apiUrl}/payments/${id}`))
  }
}
