// Many analyses at once, with steps that fail at first: how many complete when no person does anything about it.
import { STEP_NAMES, type StepName } from "./analysis.ts"
import { count, done, type Slide } from "./lab.ts"
import type { Stage } from "./stage.ts"

/** Of the steps; each of them fails one to three times, then it goes well. */
const TRANSIENT = 0.2
const MOST_FAILURES = 3
const TARGET = 0.999

/** The same slides at every run. */
export function crowdOf(workflows: number): readonly Slide[] {
  const random = dice(1)
  const trouble = () =>
    STEP_NAMES.flatMap((step): [StepName, number][] =>
      random() < TRANSIENT ? [[step, 1 + Math.floor(random() * MOST_FAILURES)]] : [],
    )
  return Array.from({ length: workflows }, (_, n) => ({
    slide: `slide-${n}`,
    file: `slide-${n}.svs`,
    site: "south",
    trouble: Object.fromEntries(trouble()),
  }))
}

/** Numbers from 0 to 1 that are the same for the same seed (mulberry32). */
function dice(seed: number): () => number {
  let state = seed
  return () => {
    state = (state + 0x6d2b79f5) | 0
    let t = Math.imul(state ^ (state >>> 15), 1 | state)
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t
    return ((t ^ (t >>> 14)) >>> 0) / 2 ** 32
  }
}

/** True when enough complete, and nothing was done twice. `refreshes`: what each run of the processor has processed. */
export async function runCrowd(stage: Stage, workflows: number, refreshes: readonly number[]): Promise<boolean> {
  const { submit, setSchedule, board, pager, until, say } = stage
  const slides = crowdOf(workflows)
  const failing = slides.flatMap(({ trouble = {} }) => Object.values(trouble))
  say(`${workflows} analyses of 5 steps; ${failing.length} steps fail at first, ${sum(failing)} times in all`)
  const startedAt = performance.now()
  await setSchedule(true)
  await Promise.all(slides.map(submit))
  say(`all have been accepted after ${since(startedAt)} s; the schedule does the rest`)
  await until(async () => (await board.outcome()).pending === 0, 600_000)
  const { complete, failed, averageMs } = await board.outcome()
  for (const { subject, message } of pager.alerts) say(`the pager: ${subject}. ${message}`)
  say(`${refreshes.length} runs of the processor had something to do; the first did ${refreshes[0]} steps`)
  const twice = [...done.values()].filter((times) => times > 1).length
  const rate = complete / workflows
  say(`${done.size} steps in ${count.attempts} attempts, ${twice} of them done twice`)
  say(`${since(startedAt)} s in all; an analysis took ${(averageMs / 1_000).toFixed(1)} s on average`)
  say(`completion rate ${(100 * rate).toFixed(1)} %: ${complete} complete, ${failed} failed, 0 by hand`)
  return rate >= TARGET && twice === 0
}

const sum = (numbers: readonly number[]): number => numbers.reduce((a, b) => a + b, 0)
const since = (startedAt: number): string => ((performance.now() - startedAt) / 1_000).toFixed(1)
