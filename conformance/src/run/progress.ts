// Where the run is: one changing line on a terminal, a line for each cell elsewhere.

export class Progress {
  readonly #total: number
  readonly #out: NodeJS.WriteStream
  readonly #startedAt = performance.now()
  #done = 0

  constructor(total: number, out: NodeJS.WriteStream = process.stderr) {
    this.#total = total
    this.#out = out
  }

  /** A scenario has ended. */
  step(cell: string): void {
    this.#done += 1
    if (this.#out.isTTY) this.#out.write(`\r\u001b[K${this.#share()} ${cell}`)
  }

  cellDone(cell: string, faults: number): void {
    this.say(`${this.#share()} ${cell}: ${faults === 0 ? "green" : `${faults} red`}`)
  }

  say(text: string): void {
    this.#out.write(`${this.#out.isTTY ? "\r\u001b[K" : ""}${text}\n`)
  }

  #share(): string {
    const seconds = ((performance.now() - this.#startedAt) / 1_000).toFixed(0)
    return `${this.#done} of ${this.#total} in ${seconds} s,`
  }
}
