// Where the run is: a bar on a terminal, now and then a line elsewhere.

/** Of a run: whichever comes first. */
interface Length {
  readonly kills: number
  readonly minutes: number
}

const WIDTH = 30
const LINE_EVERY_MS = 10_000

export class Progress {
  readonly #end: Length
  readonly #out: NodeJS.WriteStream
  readonly #startedAt = performance.now()
  #lineAt = 0

  constructor(end: Length, out: NodeJS.WriteStream = process.stderr) {
    this.#end = end
    this.#out = out
  }

  /** From 0 to 1, by kills or by time. */
  share(done: number): number {
    const { kills, minutes } = this.#end
    return Math.min(1, Math.max(done / Math.max(1, kills), this.#seconds / (60 * minutes)))
  }

  get #seconds(): number {
    return (performance.now() - this.#startedAt) / 1_000
  }

  show(done: number, what: string): void {
    const { kills } = this.#end
    const text = `${done}${Number.isFinite(kills) ? ` of ${kills}` : ""} killed in ${this.#seconds.toFixed(0)} s, ${what}`
    if (this.#out.isTTY) {
      const filled = Math.round(WIDTH * this.share(done))
      this.#out.write(`\r\u001b[K${"█".repeat(filled)}${"░".repeat(WIDTH - filled)} ${text}`)
    } else if (performance.now() >= this.#lineAt) {
      this.#lineAt = performance.now() + LINE_EVERY_MS
      this.#out.write(`${text}\n`)
    }
  }

  end(): void {
    if (this.#out.isTTY) this.#out.write("\r\u001b[K")
  }
}
