// Two transactions on one step, one statement at a time, on real PostgreSQL.
import { afterAll, beforeAll, describe, test } from "vitest"
import { type ActName, act, type JobsAre, type StepKind, sceneOf } from "./interleave-acts.ts"
import { type Lane, openLane } from "./interleave-lane.ts"
import { expectNone, judgeRaces, SAMPLES, SEED } from "./interleave-race.ts"

let lane: Lane

beforeAll(async () => {
  lane = await openLane()
  console.info(`interleavings: seed ${SEED} (MILLRACE_SEED), ${SAMPLES} schedules a pair (MILLRACE_INTERLEAVINGS)`)
})
afterAll(() => lane.close())

const pairsOf = (names: readonly ActName[]): [ActName, ActName][] =>
  names.flatMap((first, index) => names.slice(index).map((second): [ActName, ActName] => [first, second]))

function racePair(kind: StepKind, first: ActName, second: ActName, jobsAre: JobsAre): void {
  const pair = [act(first), act(second)]
  const ids = [...new Set(["C-58", ...pair.flatMap(({ ids }) => ids)])].sort().join(", ")
  const name = `${first}-${second}-${kind}-${jobsAre}`
  test(`${ids}: ${pair[0]?.name} meets ${pair[1]?.name} on one ${kind} step (${jobsAre})`, async () => {
    const timers = [...new Set(pair.flatMap(({ timer }) => timer ?? []))]
    const scene = sceneOf(name, [{ kind, timers }], jobsAre)
    const { problems } = await judgeRaces(
      lane,
      scene,
      pair.map((act) => ({ act, branch: 0 })),
    )
    expectNone(problems)
  })
}

describe("F66, S4, S7, S12, S15: a service task", () => {
  const onJobs: ActName[] = [
    "complete",
    "failRetryable",
    "failFinal",
    "timerInterrupting",
    "timerBeside",
    "timerEnding",
    "cancel",
    "sweep",
    "heartbeat",
    "retry",
  ]
  for (const [first, second] of pairsOf(onJobs)) racePair("service", first, second, "expired")
  for (const other of onJobs) racePair("service", "claim", other, other === "sweep" ? "expired" : "swept")
  racePair("service", "claim", "claim", "swept")
  for (const other of ["complete", "failFinal", "failRetryable", "heartbeat"] as const)
    racePair("service", other, "cancel", "reclaimed")
})

describe("F66, S12, S14, S15: a user task", () => {
  for (const [first, second] of pairsOf(["userTask", "timerInterrupting", "timerBeside", "timerEnding", "cancel"]))
    racePair("user", first, second, "expired")
})

describe("F66, S12, S13, S15: a wait", () => {
  for (const [first, second] of pairsOf(["signal", "timerInterrupting", "timerBeside", "timerEnding", "cancel"]))
    racePair("wait", first, second, "expired")
})

describe("a failed step", () => {
  for (const other of [
    "retry",
    "complete",
    "failFinal",
    "failRetryable",
    "cancel",
    "claim",
    "heartbeat",
    "sweep",
  ] as const)
    racePair("service", "retry", other, "failed")
})
