// Where the run is: a bar on a terminal, now and then a line elsewhere.

const WIDTH = 30
const LINE_EVERY_MS = 10_000

export class Progress {
  readonly #total: number
  readonly #out: NodeJS.WriteStream
  #lineAt = 0

  constructor(total: number, out: NodeJS.WriteStream = process.stderr) {
    this.#total = total
    this.#out = out
  }

  show(done: number, what: string): void {
    const text = `${done} of ${this.#total} killed, ${what}`
    if (this.#out.isTTY) {
      const filled = Math.round((WIDTH * done) / Math.max(1, this.#total))
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
