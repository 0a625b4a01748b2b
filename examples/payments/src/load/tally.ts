// What the users have seen: how long answers took, which were errors, and whether a key was ever answered with two payments.
import type { Answer } from "./http-client.ts"

export class Tally {
  readonly #postMs: number[] = []
  readonly #bySecond = new Map<number, number>()
  readonly #errors = new Map<number, number>()
  readonly #paymentOf = new Map<string, string>()
  /** Keys that were answered with two different payments. */
  readonly doubled: string[] = []
  #gets = 0

  addPost(key: string, answer: Answer): void {
    this.#postMs.push(answer.tookMs)
    this.#count(answer, 202)
    if (answer.status === 202) this.#remember(key, JSON.parse(answer.body).payment_id)
  }

  addGet(answer: Answer): void {
    this.#gets += 1
    this.#count(answer, 200)
  }

  /** Of payments, by the key that each was accepted under. */
  get accepted(): ReadonlyMap<string, string> {
    return this.#paymentOf
  }

  get requests(): number {
    return this.#postMs.length + this.#gets
  }

  get errors(): number {
    return [...this.#errors.values()].reduce((sum, count) => sum + count, 0)
  }

  lines(seconds: number): readonly string[] {
    const { requests } = this
    const kinds = [...this.#errors].map(([status, count]) => `${count} × ${status || "no answer"}`).join(", ")
    return [
      `requests   ${requests} in ${seconds.toFixed(0)} s: ${(requests / seconds).toFixed(0)}/s, in the best second ${this.#best()}`,
      `errors     ${this.errors}${kinds && ` (${kinds})`}`,
      `POST       ${this.#postMs.length}: P50 ${this.#at(0.5)}, P95 ${this.#at(0.95)}, P99 ${this.#at(0.99)}`,
    ]
  }

  p95(): number {
    return percentile(this.#postMs, 0.95)
  }

  #at(share: number): string {
    return `${percentile(this.#postMs, share).toFixed(1)} ms`
  }

  #best(): number {
    return Math.max(0, ...this.#bySecond.values())
  }

  #count({ status }: Answer, expected: number): void {
    const second = Math.floor(performance.now() / 1_000)
    this.#bySecond.set(second, (this.#bySecond.get(second) ?? 0) + 1)
    if (status !== expected) this.#errors.set(status, (this.#errors.get(status) ?? 0) + 1)
  }

  #remember(key: string, paymentId: string): void {
    const known = this.#paymentOf.get(key)
    if (known !== undefined && known !== paymentId) this.doubled.push(key)
    this.#paymentOf.set(key, paymentId)
  }
}

function percentile(values: readonly number[], share: number): number {
  const sorted = [...values].sort((a, b) => a - b)
  return sorted[Math.max(0, Math.ceil(share * sorted.length) - 1)] ?? 0
}
