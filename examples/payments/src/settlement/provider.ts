// The payment provider as the worker sees it. An answer that does not come in time leaves open what happened, and is asked for again.
import type { Settlement } from "./job-names.ts"

/** A decline is an answer, with HTTP 200: `failed` is as final as `succeeded`. `cancelled` was never charged, and will not be. */
export interface Charge {
  readonly status: "succeeded" | "failed" | "cancelled"
  readonly transaction_id: string
  readonly reason?: string
}

export class Provider {
  readonly #url: string
  readonly #timeoutMs: number

  constructor(url: string, timeoutMs: number) {
    this.#url = url
    this.#timeoutMs = timeoutMs
  }

  charge({ paymentId, amount, currency, chargeKey }: Settlement, signal?: AbortSignal): Promise<Charge> {
    return this.#post("/charge", chargeKey, { payment_id: paymentId, amount, currency }, signal)
  }

  /** Either it is charged already, and the answer says so, or it never will be. */
  cancel(chargeKey: string): Promise<Charge> {
    return this.#post("/cancel", chargeKey, {})
  }

  refund(chargeKey: string, signal?: AbortSignal): Promise<Charge> {
    return this.#post("/refund", chargeKey, {}, signal)
  }

  async #post(path: string, key: string, body: object, signal?: AbortSignal): Promise<Charge> {
    const timeout = AbortSignal.timeout(this.#timeoutMs)
    const response = await fetch(`${this.#url}${path}`, {
      method: "POST",
      headers: { "content-type": "application/json", "idempotency-key": key },
      body: JSON.stringify(body),
      signal: signal ? AbortSignal.any([timeout, signal]) : timeout,
    })
    if (!response.ok) throw new Error(`the provider answered ${response.status} to ${path}`)
    return readCharge(await response.json())
  }
}

/** Only what is said counts: an answer without a known status is no success. */
function readCharge(body: unknown): Charge {
  const { status, transaction_id } = Object(body) as Partial<Charge>
  if ((status === "succeeded" || status === "failed" || status === "cancelled") && typeof transaction_id === "string")
    return body as Charge
  throw new Error(`the provider answered without a status: ${JSON.stringify(body)}`)
}
