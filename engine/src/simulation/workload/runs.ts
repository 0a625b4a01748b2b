// Runs of step lists and of functions, by workers that live in the processes of the engines and die with them.

import { sleep as pause, step } from "../../library/authoring/elements.ts"
import { RetryableError } from "../../library/authoring/retryable-error.ts"
import type { Step } from "../../library/authoring/step-types.ts"
import { type AnyWorkflow, workflow } from "../../library/authoring/workflow.ts"
import { Mill } from "../../library/running/mill.ts"
import type { Kernel } from "../../operations/kernel/kernel.ts"
import { Caller, sleep } from "./caller.ts"

interface Input {
  readonly run: string
}

const LEASE_MS = 2_000

export class Runs extends Caller {
  readonly #mills = new WeakMap<Kernel, Mill>()
  readonly #workflows: readonly AnyWorkflow[] = [this.#list(), this.#function()]
  #number = 0

  /** Does what the program around an engine does when it starts. */
  async work(kernel: Kernel): Promise<void> {
    const mill = new Mill(kernel, kernel.processId, async () => {})
    this.#mills.set(kernel, mill)
    await mill.work(this.#workflows, { concurrency: 2, leaseMs: LEASE_MS })
  }

  async stop(kernel: Kernel): Promise<void> {
    await this.#mills.get(kernel)?.stop()
  }

  async start(): Promise<void> {
    const { runs, busyMs } = this.simulation.profile
    for (let n = 0; n < runs; n++) {
      await sleep(this.dice.between(0, (2 * busyMs) / runs))
      const flow = this.dice.pick(this.#workflows)
      const key = `run-${n}`
      const answer = await this.insist(async (kernel) => {
        const started = await this.#mills.get(kernel)?.start(flow, { run: key }, { key })
        return started?.id
      })
      if (answer.kind === "ok" && answer.value) this.ledger.accept("instance", key, answer.value)
    }
  }

  /** What a later step sees of the steps before it was committed: it never changes. */
  #list(): AnyWorkflow {
    return workflow("list", {
      recover: "resume",
      steps: [
        step("first", async ({ input }: Step<Input>) => ({ first: await this.#do(input) })),
        pause("PT1S"),
        step("second", async ({ input, context }: Step<Input, { first: number }>) => {
          this.ledger.see(`${input.run} first`, context.first)
          return { second: await this.#do(input) }
        }),
        step("third", async ({ input, context }: Step<Input, { first: number; second: number }>) => {
          this.ledger.see(`${input.run} first`, context.first)
          this.ledger.see(`${input.run} second`, context.second)
          return { third: await this.#do(input) }
        }),
      ],
    })
  }

  #function(): AnyWorkflow {
    return workflow("function", async (run, input: Input) => {
      const first = await run.step("first", () => this.#do(input))
      const second = await run.step("second", () => {
        this.ledger.see(`${input.run} first`, first)
        return this.#do(input)
      })
      return { first, second }
    })
  }

  async #do({ run }: Input): Promise<number> {
    await sleep(this.dice.between(1, 300))
    if (!this.simulation.isHealed && this.dice.chance(0.15))
      throw new RetryableError(`${run}: as drawn`, { baseDelay: 500 })
    if (!this.simulation.isHealed && this.dice.chance(0.1)) await sleep(LEASE_MS + this.dice.between(0, 1_000))
    this.#number += 1
    return this.#number
  }
}
