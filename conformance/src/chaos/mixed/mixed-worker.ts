// One worker of a language under fire: its program, killed and started again in the same place with the next life.
import type { Writable } from "node:stream"
import { Program } from "../../scenarios/control/program.ts"
import { programOf } from "../../scenarios/control/programs.ts"
import type { Mode, Sdk, Transport } from "../../scenarios/matrix.ts"
import { handlers } from "./workload.ts"

export interface Addresses {
  /** The addresses of all replicas, separated by commas. */
  readonly rest: string
  readonly grpc: string
}

interface WorkerOrder {
  readonly sdk: Sdk
  readonly transport: Transport
  readonly mode: Mode
  readonly addresses: Addresses
  readonly log: Writable
}

export class MixedWorker {
  readonly #order: WorkerOrder
  readonly name: string
  #life = 0
  #program: Promise<Program> | undefined

  constructor(order: WorkerOrder) {
    this.#order = order
    this.name = `${order.sdk}-${order.transport}`
  }

  start(): void {
    this.#life += 1
    this.#program = this.#launch(`${this.name}-${this.#life}`)
    // A program that was killed while it started is looked at when it is used.
    this.#program.catch(() => {})
  }

  async call(command: string, args: object): Promise<unknown> {
    if (!this.#program) throw new Error(`${this.name} was never started`)
    return (await this.#program).call(command, args)
  }

  async kill(): Promise<void> {
    const program = await this.#program?.catch(() => undefined)
    program?.kill()
    await program?.ended
  }

  /** Lets it drain; a violation in words when it does not. */
  async end(): Promise<string[]> {
    const how = await (await this.#program)?.end()
    return how === "exit code 0" ? [] : [`worker ${this.name} did not drain: ${how}`]
  }

  async #launch(workerId: string): Promise<Program> {
    const { sdk, transport, mode, addresses, log } = this.#order
    const program = new Program({ command: [programOf(sdk)], log })
    await program.call("open", { url: addresses[transport], restUrl: addresses.rest })
    await program.call("startWorker", { workerId, mode, handlers, concurrency: 8, leaseSeconds: 5 })
    return program
  }
}
