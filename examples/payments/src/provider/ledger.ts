// The provider's books: what was charged, under which key, for which payment. They are what a double charge is proved from.

export interface Entry {
  readonly key: string
  readonly payment_id: string
  readonly transaction_id: string
  status: "succeeded" | "failed" | "cancelled"
  readonly reason?: string
  /** How often it was asked for under this key. */
  asked: number
  isRefunded: boolean
}

export interface LedgerTotals {
  readonly asked: number
  readonly charged: number
  readonly declined: number
  readonly cancelled: number
  readonly refunded: number
  /** Payments that were charged more than once, under whatever keys. */
  readonly doubled: readonly string[]
}

export class Ledger {
  readonly #entries = new Map<string, Entry>()
  readonly #chargesOf = new Map<string, number>()
  readonly #successShare: number
  readonly #random: () => number
  #asked = 0

  constructor(successShare: number, random: () => number = Math.random) {
    this.#successShare = successShare
    this.#random = random
  }

  /** The answer to a key is made once; every repeat is told the same. */
  charge(key: string, paymentId: string): Entry {
    this.#asked += 1
    const known = this.#entries.get(key)
    if (known) {
      known.asked += 1
      return known
    }
    return this.#random() < this.#successShare
      ? this.#enter(key, paymentId, { status: "succeeded" })
      : this.#enter(key, paymentId, { status: "failed", reason: "card_declined" })
  }

  /** After this the key is never charged, unless it is already. */
  cancel(key: string): Entry {
    return this.#entries.get(key) ?? this.#enter(key, key, { status: "cancelled", reason: "cancelled" })
  }

  refund(key: string): Entry | undefined {
    const entry = this.#entries.get(key)
    if (entry?.status === "succeeded") entry.isRefunded = true
    return entry
  }

  get entries(): readonly Entry[] {
    return [...this.#entries.values()]
  }

  get totals(): LedgerTotals {
    const count = (status: Entry["status"]) => this.entries.filter((entry) => entry.status === status).length
    return {
      asked: this.#asked,
      charged: count("succeeded"),
      declined: count("failed"),
      cancelled: count("cancelled"),
      refunded: this.entries.filter(({ isRefunded }) => isRefunded).length,
      doubled: [...this.#chargesOf].filter(([, times]) => times > 1).map(([paymentId]) => paymentId),
    }
  }

  #enter(key: string, payment_id: string, answer: Pick<Entry, "status" | "reason">): Entry {
    const entry: Entry = { key, payment_id, transaction_id: `txn-${key}`, ...answer, asked: 1, isRefunded: false }
    this.#entries.set(key, entry)
    if (entry.status === "succeeded") this.#chargesOf.set(payment_id, (this.#chargesOf.get(payment_id) ?? 0) + 1)
    return entry
  }
}
