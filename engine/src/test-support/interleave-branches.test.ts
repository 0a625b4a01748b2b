// Two transactions on two branches of one instance, and three at once, one statement at a time, on real PostgreSQL.
import { afterAll, beforeAll, describe, test } from "vitest"
import { type ActName, act, acts, type JobsAre, parked, type StepKind, sceneOf } from "./interleave-acts.ts"
import { type Lane, openLane } from "./interleave-lane.ts"
import { expectNone, judgeRaces, SAMPLES, SEED } from "./interleave-race.ts"

let lane: Lane

beforeAll(async () => {
  lane = await openLane()
  await lane.upload(parked)
  console.info(`interleavings: seed ${SEED} (MILLRACE_SEED), ${SAMPLES} schedules a pair (MILLRACE_INTERLEAVINGS)`)
})
afterAll(() => lane.close())

interface Part {
  readonly name: ActName
  readonly branch: number
}

function race(parts: readonly Part[], kinds: readonly StepKind[], jobsAre: JobsAre, more: readonly string[]): void {
  const roles = parts.map(({ name, branch }) => ({ act: act(name), branch }))
  const ids = [...new Set(["C-58", ...more, ...roles.flatMap((role) => role.act.ids)])].sort().join(", ")
  const told = parts.map(({ name, branch }) => `${act(name).name} on ${"abc"[branch]}`).join(" meets ")
  test(`${ids}: ${told} (${jobsAre})`, async () => {
    const branches = kinds.map((kind, branch) => ({
      kind,
      timers: [...new Set(roles.flatMap((role) => (role.branch === branch ? (role.act.timer ?? []) : [])))],
    }))
    const name = [...parts.map((part) => `${part.name}-${part.branch}`), jobsAre].join("-")
    const scene = { ...sceneOf(name, branches, jobsAre), beating: sparedFromSweeps(parts, kinds.length) }
    const { problems } = await judgeRaces(lane, scene, roles)
    expectNone(problems)
  })
}

/** Branches that a sweep is not about, when there is one. */
function sparedFromSweeps(parts: readonly Part[], branches: number): string[] {
  const swept = parts.flatMap((part) => (part.name === "sweep" ? [part.branch] : []))
  const spared = Array.from({ length: branches }, (_, branch) => branch).filter((branch) => !swept.includes(branch))
  return swept.length === 0 ? [] : spared.map((branch) => "abc"[branch] as string)
}

const KEYED: readonly ActName[] = ["startOnce", "startKeyed", "cancelOnce"]
const NAMES = (Object.keys(acts) as ActName[]).filter((name) => !KEYED.includes(name))

/** A retry needs a failed instance; a claim needs something in the queue. */
function jobsFor(names: readonly ActName[]): JobsAre {
  if (names.includes("retry")) return "failed"
  return names.includes("claim") && !names.includes("sweep") ? "swept" : "expired"
}

describe("F67, S11: two branches of one instance", () => {
  for (const [index, other] of NAMES.entries()) {
    for (const name of NAMES.slice(index)) {
      // What failed is branch a: a retry is about it.
      const [first, second] = other === "retry" || name !== "retry" ? [other, name] : [name, other]
      const kinds = [act(first).on[0], act(second).on[0]] as StepKind[]
      const onB = first === "retry" && second === "retry" ? 0 : 1
      const parts = [
        { name: first, branch: 0 },
        { name: second, branch: onB },
      ]
      race(parts, kinds, jobsFor([first, second]), ["S11"])
    }
  }
})

describe("F66, F67, S11: three at once", () => {
  const on = (branch: number, ...names: ActName[]): Part[] => names.map((name) => ({ name, branch }))
  race(on(0, "complete", "cancel", "timerInterrupting"), ["service"], "expired", [])
  race(on(0, "complete", "failFinal", "sweep"), ["service"], "expired", [])
  race(on(0, "complete", "sweep", "claim"), ["service"], "expired", [])
  race(on(0, "failRetryable", "claim", "cancel"), ["service"], "swept", [])
  race(on(0, "failFinal", "retry", "cancel"), ["service"], "expired", [])
  race(on(0, "heartbeat", "sweep", "complete"), ["service"], "expired", [])
  race(on(0, "userTask", "userTask", "timerInterrupting"), ["user"], "expired", [])
  race(on(0, "signal", "timerInterrupting", "cancel"), ["wait"], "expired", [])
  race(on(0, "signal", "signal", "timerBeside"), ["wait"], "expired", [])
  const each = (...names: ActName[]): Part[] => names.map((name, branch) => ({ name, branch }))
  race(each("complete", "complete", "complete"), ["service", "service", "service"], "expired", ["S11"])
  race(each("complete", "signal", "userTask"), ["service", "wait", "user"], "expired", ["S11"])
  race(each("complete", "timerInterrupting", "userTask"), ["service", "service", "user"], "expired", ["S11", "S12"])
  race([...each("failFinal", "signal"), { name: "retry", branch: 0 }], ["service", "wait"], "expired", ["S11"])
})

describe("keys", () => {
  const both = (name: ActName): Part[] => [0, 0].map((branch) => ({ name, branch }))
  for (const name of KEYED) race(both(name), ["wait"], "expired", [])
})
