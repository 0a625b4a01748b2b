// Runs mutants through the lanes, and tells of each as it is judged.
import { LaneProcess } from "./lane-process.ts"
import type { Mutant } from "./mutant.ts"
import type { Found, Order, Verdict } from "./verdict.ts"

type Tell = (line: string) => void

/** The tests that are to find the mutants pass without them; else finding one says nothing. */
export async function findFailingTests(mutants: readonly Mutant[], lanes: number, tell: Tell): Promise<string[]> {
  const files = [...new Set(mutants.flatMap(({ tests }) => tests))].sort()
  const failing: string[] = []
  await through(files, lanes, async (file, judge) => {
    const found = await judge({ mutant: undefined, tests: [file] })
    if (found.kind === "passed") return
    failing.push(file)
    tell(`without any mutant ${file} fails: ${found.kind === "failed" ? found.test : found.why}`)
  })
  return failing
}

export async function judgeMutants(mutants: readonly Mutant[], lanes: number, tell: Tell): Promise<Verdict[]> {
  const verdicts: Verdict[] = []
  await through(mutants, lanes, async (mutant, judge) => {
    const start = performance.now()
    const found = await judge({ mutant, tests: mutant.tests })
    const seconds = Math.round((performance.now() - start) / 100) / 10
    const verdict = { id: mutant.id, seconds, ...verdictOf(found) }
    verdicts.push(verdict)
    tell(`[${verdicts.length}/${mutants.length}] ${describe(verdict)}`)
  })
  return verdicts
}

type Judge = (order: Order) => Promise<Found>

async function through<Item>(
  items: readonly Item[],
  lanes: number,
  work: (item: Item, judge: Judge) => Promise<void>,
): Promise<void> {
  const left = [...items]
  const follow = async () => {
    const lane = new LaneProcess()
    for (let item = left.shift(); item !== undefined; item = left.shift())
      await work(item, (order) => lane.judge(order))
    await lane.close()
  }
  await Promise.all(Array.from({ length: Math.min(lanes, items.length) }, follow))
}

function verdictOf(found: Found): Pick<Verdict, "verdict" | "file" | "test" | "why"> {
  if (found.kind === "passed")
    return { verdict: "survived", ...(found.skipped > 0 ? { why: `${found.skipped} tests were skipped` } : {}) }
  if (found.kind === "broken") return { verdict: "broken", why: found.why }
  return { verdict: "killed", file: found.file, test: found.test }
}

function describe({ id, verdict, seconds, file, test, why }: Verdict): string {
  if (verdict === "survived") return `${id}: SURVIVED, ${why ?? `${seconds} s`}`
  if (verdict === "broken") return `${id}: BROKEN, ${why}`
  return `${id}: killed in ${seconds} s by "${test}" (${file})`
}
