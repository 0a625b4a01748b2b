// The places that WebSockets of an upstream take. Each keeps two connections for as long as its caller likes, and costs one call of the limit.
import type { ServerResponse } from "node:http"
import { GatewayRefusal } from "./refusal.ts"
import type { WebsocketLimits } from "./upstream.ts"

export class WebsocketPlaces {
  readonly #most: WebsocketLimits
  /** No longer than the total. */
  readonly #byCaller = new Map<string, number>()
  #taken = 0

  constructor(most: WebsocketLimits) {
    this.#most = most
  }

  get taken(): number {
    return this.#taken
  }

  /** Undefined where there was a place. It is given back when the answer has closed. */
  take(caller: string, response: ServerResponse): GatewayRefusal | undefined {
    const own = this.#byCaller.get(caller) ?? 0
    if (own >= this.#most.perCaller)
      return new GatewayRefusal("rate-limited", "this caller has too many WebSockets open: close one first")
    if (this.#taken >= this.#most.total)
      return new GatewayRefusal("unavailable", "too many WebSockets are open: try again later")
    this.#byCaller.set(caller, own + 1)
    this.#taken++
    response.once("close", () => this.#giveBack(caller))
    return undefined
  }

  #giveBack(caller: string): void {
    this.#taken--
    const own = (this.#byCaller.get(caller) ?? 1) - 1
    if (own > 0) this.#byCaller.set(caller, own)
    else this.#byCaller.delete(caller)
  }
}
