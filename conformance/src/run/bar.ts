// Where a run is: a bar on a terminal, now and then a line elsewhere.

const WIDTH = 30
const LINE_EVERY_MS = 10_000

export class Bar {
  readonly #out: NodeJS.WriteStream
  #lineAt = 0

  constructor(out: NodeJS.WriteStream = process.stderr) {
    this.#out = out
  }

  /** `share` is from 0 to 1. */
  show(share: number, text: string): void {
    if (this.#out.isTTY) {
      const filled = Math.round(WIDTH * share)
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
