// Where the run is: one changing line on a terminal, a line for each cell elsewhere.

export class Progress {
  readonly #out: NodeJS.WriteStream
  readonly #startedAt = performance.now()
  #total = 0
  #done = 0

  constructor(out: NodeJS.WriteStream = process.stderr) {
    this.#out = out
  }

  /** Sets how many scenarios are to be played. */
  expect(total: number): void {
    this.#total = total
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
