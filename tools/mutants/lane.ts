// One lane: a copy of the checkout, and a vitest that stays warm in it. The runner gives it one mutant after the other.
import { rmSync } from "node:fs"
import { join, relative } from "node:path"
import { createVitest, type TestModule, type Vitest } from "vitest/node"
import { root } from "../files.ts"
import { copyCheckout } from "./copy-checkout.ts"
import { type Mutant, plant } from "./mutant.ts"
import type { Found, Order } from "./verdict.ts"

/** A test that hangs is one that failed. Far above what any of them takes on a busy machine. */
const TEST_TIMEOUT_MS = 90_000
const POLL_TIMEOUT_MS = 60_000

class Lane {
  readonly #copy = copyCheckout(root)
  #vitest: Vitest | undefined

  async judge({ mutant, tests }: Order): Promise<Found> {
    const putBack = mutant ? plant(this.#copy, mutant) : () => {}
    try {
      await this.#forget(mutant)
      return await this.#run(tests)
    } finally {
      putBack()
      await this.#forget(mutant)
    }
  }

  async close(): Promise<void> {
    await this.#vitest?.close()
    rmSync(this.#copy, { recursive: true, force: true })
  }

  /** Migrations are applied once, before the first test: after a change to them vitest begins anew. */
  async #forget(mutant: Mutant | undefined): Promise<void> {
    if (!mutant) return
    this.#vitest?.invalidateFile(join(this.#copy, mutant.file))
    if (!mutant.file.startsWith("engine/migrations/")) return
    await this.#vitest?.close()
    this.#vitest = undefined
  }

  async #run(tests: readonly string[]): Promise<Found> {
    this.#vitest ??= await warmVitest(this.#copy)
    let skipped = 0
    for (const test of tests) {
      const found = await this.#runFile(this.#vitest, test)
      if (found.kind !== "passed") return found
      skipped += found.skipped
    }
    return { kind: "passed", skipped }
  }

  async #runFile(vitest: Vitest, test: string): Promise<Found> {
    const project = vitest.getRootProject()
    const specification = project.createSpecification(join(this.#copy, test))
    // What is known from the mutants before would be told again where this one does not come as far as its first test.
    vitest.state.clearFiles(project, [specification.moduleId])
    const { testModules, unhandledErrors } = await vitest.runTestSpecifications([specification])
    const module = testModules.find(({ moduleId }) => moduleId === specification.moduleId)
    const found = module && this.#failureOf(module)
    if (found) return found
    if (unhandledErrors.length === 0) return { kind: "passed", skipped: skippedIn(module) }
    return { kind: "failed", file: test, test: `(beside its tests) ${told(unhandledErrors[0])}` }
  }

  #failureOf(module: TestModule): Found | undefined {
    const file = relative(this.#copy, module.moduleId)
    const tests = [...module.children.allTests()]
    if (tests.length === 0) return { kind: "broken", why: `${file}: ${told(module.errors()[0])}` }
    const failed = tests.find((test) => test.result().state === "failed")
    if (failed) return { kind: "failed", file, test: failed.fullName }
    const [error] = [module, ...module.children.allSuites()].flatMap((suite) => suite.errors())
    return error ? { kind: "failed", file, test: `(before or after its tests) ${told(error)}` } : undefined
  }
}

const skippedIn = (module: TestModule | undefined): number => [...(module?.children.allTests("skipped") ?? [])].length

const told = (error: unknown): string =>
  String((error as { message?: string } | undefined)?.message ?? "no tests").split("\n", 1)[0] as string

/** Each file has a worker of its own: what the mutant left in the modules of one is gone with it. */
async function warmVitest(copy: string): Promise<Vitest> {
  const vitest = await createVitest("test", {
    root: copy,
    config: join(copy, "vitest.config.ts"),
    watch: false,
    reporters: [{}],
    bail: 1,
    isolate: true,
    maxWorkers: 1,
    testTimeout: TEST_TIMEOUT_MS,
    hookTimeout: TEST_TIMEOUT_MS,
    expect: { poll: { interval: 10, timeout: POLL_TIMEOUT_MS } },
  })
  await vitest.standalone()
  return vitest
}

/** Until the runner hangs up. */
export async function run(): Promise<number> {
  const lane = new Lane()
  const answer = async (order: Order) => process.send?.(await lane.judge(order).catch(broken))
  process.on("message", (order: Order) => void answer(order))
  await new Promise<void>((resolve) => process.once("disconnect", resolve))
  await lane.close()
  return 0
}

const broken = (error: unknown): Found => ({ kind: "broken", why: told(error) })
