// What happened, line by line: its hash tells whether two runs of a seed were the same, and its end is shown when one fails.
import { createHash } from "node:crypto"
import { appendFileSync, writeFileSync } from "node:fs"

const KEPT = 60

export class Trace {
  readonly #hash = createHash("sha256")
  readonly #file: string | undefined
  #last: string[] = []
  lines = 0

  /** All of it goes to the file, where one is given. */
  constructor(file?: string) {
    this.#file = file
    if (file) writeFileSync(file, "")
  }

  note(line: string): void {
    this.lines += 1
    this.#hash.update(`${line}\n`)
    this.#last.push(line)
    if (this.#last.length > 2 * KEPT) this.#last = this.#last.slice(-KEPT)
    if (this.#file) appendFileSync(this.#file, `${line}\n`)
  }

  get last(): readonly string[] {
    return this.#last.slice(-KEPT)
  }

  get digest(): string {
    return this.#hash.copy().digest("hex").slice(0, 16)
  }
}
