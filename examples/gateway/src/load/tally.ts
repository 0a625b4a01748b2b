// What the visitors of the scene have seen, and whether it is as good as it should be.
import type { Answer } from "./visitor.ts"

export const BOUNDS = { stuffing: 10, scraping: 20, failures: 0.01, p50Ms: 5, p99Ms: 50 }

export interface Line {
  readonly what: string
  readonly measured: string
  readonly allowed: string
  readonly isGood: boolean
}

export class Tally {
  readonly #calls: Answer[] = []
  readonly #signIns: Answer[] = []
  readonly #stuffing: (number | undefined)[] = []
  readonly #scraping: (number | undefined)[] = []

  called(answer: Answer): void {
    this.#calls.push(answer)
  }

  signedIn(answer: Answer): void {
    this.#signIns.push(answer)
  }

  /** Attempts that were judged before it was refused; undefined where it never was. */
  stuffingStopped(after: number | undefined): void {
    this.#stuffing.push(after)
  }

  scraperFound(after: number | undefined): void {
    this.#scraping.push(after)
  }

  get calls(): number {
    return this.#calls.length
  }

  /** Share of the honest users' calls that were refused or went wrong; a sign-in that was asked to wait is none. */
  get failures(): number {
    const failed = this.#calls.filter(({ status }) => status !== 200).length
    const kept = this.#signIns.filter(({ status }) => status !== 200 && status !== 503).length
    return (failed + kept) / Math.max(1, this.#calls.length + this.#signIns.length)
  }

  get stuffers(): readonly (number | undefined)[] {
    return this.#stuffing
  }

  get scrapers(): readonly (number | undefined)[] {
    return this.#scraping
  }

  lines(): readonly Line[] {
    const [p50, p99] = [percentile(this.#calls, 0.5), percentile(this.#calls, 0.99)]
    const signIns = `P50 ${ms(percentile(this.#signIns, 0.5))}, P99 ${ms(percentile(this.#signIns, 0.99))}`
    return [
      worstOf("attempts until a stuffer is stopped", this.#stuffing, BOUNDS.stuffing),
      worstOf("requests until a scraper is found", this.#scraping, BOUNDS.scraping),
      {
        what: "honest users' failures",
        measured: `${(this.failures * 100).toFixed(2)} % of ${this.#calls.length + this.#signIns.length}`,
        allowed: "0 %",
        isGood: this.failures === 0,
      },
      {
        what: "honest users' calls, P50",
        measured: ms(p50),
        allowed: `≤ ${BOUNDS.p50Ms} ms`,
        isGood: p50 <= BOUNDS.p50Ms,
      },
      {
        what: "honest users' calls, P99",
        measured: ms(p99),
        allowed: `≤ ${BOUNDS.p99Ms} ms`,
        isGood: p99 <= BOUNDS.p99Ms,
      },
      { what: "sign-ins, counted apart", measured: signIns, allowed: "", isGood: true },
    ]
  }

  get warning(): string | undefined {
    return this.failures > BOUNDS.failures ? "More than 1 % of the honest users' calls failed." : undefined
  }
}

const ms = (value: number): string => `${value.toFixed(1)} ms`

function percentile(answers: readonly Answer[], share: number): number {
  const took = answers.map(({ tookMs }) => tookMs).sort((a, b) => a - b)
  return took[Math.max(0, Math.ceil(share * took.length) - 1)] ?? 0
}

function worstOf(what: string, counts: readonly (number | undefined)[], most: number): Line {
  const worst = counts.includes(undefined) ? undefined : Math.max(0, ...(counts as number[]))
  const measured = `${worst ?? "never"} at worst, of ${counts.length}`
  return { what, measured, allowed: `≤ ${most}`, isGood: worst !== undefined && worst <= most }
}
