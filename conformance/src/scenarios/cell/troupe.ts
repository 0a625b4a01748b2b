// The programs of one scenario besides that of the cell: started when the script first names them, ended with it.
import type { Program } from "../control/program.ts"

export class Troupe {
  readonly #launch: () => Program
  readonly #connect: (program: Program) => Promise<unknown>
  readonly #programs = new Map<string, { program: Program; ready: Promise<unknown> }>()
  readonly #gone = new Set<string>()

  constructor(launch: () => Program, connect: (program: Program) => Promise<unknown>) {
    this.#launch = launch
    this.#connect = connect
  }

  /** Starts it when there is none by this name. */
  async find(name: string): Promise<Program> {
    let known = this.#programs.get(name)
    if (!known) {
      const program = this.#launch()
      known = { program, ready: this.#connect(program) }
      this.#programs.set(name, known)
    }
    await known.ready
    return known.program
  }

  /** One whose end is part of the script. */
  release(name: string): Program {
    const known = this.#programs.get(name)
    if (!known) throw new Error(`the script has started no program ${name}`)
    this.#gone.add(name)
    return known.program
  }

  /** Every program that the script left must drain and end well. */
  async end(): Promise<void> {
    const ends = [...this.#programs].map(async ([name, { program }]) => {
      const how = await program.end()
      if (!this.#gone.has(name) && how !== "exit code 0") throw new Error(`program ${name} did not drain: ${how}`)
    })
    await Promise.all(ends)
  }
}
