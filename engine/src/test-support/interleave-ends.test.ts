// Two paths of one instance that lead to an END each, one statement at a time, on real PostgreSQL.
import { afterAll, beforeAll, test } from "vitest"
import { end, service, step, workflow } from "./definitions.ts"
import { type ActName, act, type JobsAre, type Scene, type StepKind } from "./interleave-acts.ts"
import { type Lane, openLane } from "./interleave-lane.ts"
import { expectNone, judgeRaces } from "./interleave-race.ts"

let lane: Lane

beforeAll(async () => {
  lane = await openLane()
})
afterAll(() => lane.close())

const TYPES = { service: "SERVICE_TASK", user: "USER_TASK", wait: "WAIT" } as const

/** a → end, and beside it b → end, which a timer has opened; the end asks for a next workflow. */
function sceneOf(name: string, kind: StepKind, jobsAre: JobsAre): Scene {
  const boundaryEvents = [{ type: "TIMER", duration: "PT1S", interrupting: false, targetStepId: "b" }]
  const beside = step(TYPES[kind], "b", {
    nextStep: "end",
    ...(kind === "service" ? { jobType: "b", retryCount: 2 } : {}),
  })
  const document = workflow(name, [service("a", "end", { retryCount: 2, boundaryEvents }), beside, end()], {
    autoStartNextWorkflow: true,
    nextWorkflowId: "afterwards",
  })
  return { definitionId: name, document, jobsAre, branches: ["a", "b"], besideAfterMs: 1_000 }
}

function race(onA: ActName, onB: ActName, jobsAre: JobsAre = "expired"): void {
  const kind = act(onB).on[0] as StepKind
  const ids = [...new Set(["W-01", "C-79", ...act(onA).ids, ...act(onB).ids])].sort().join(", ")
  test(`${ids}: ${act(onA).name} on a path to an END meets ${act(onB).name} beside it (${jobsAre})`, async () => {
    const scene = sceneOf(`ends-${onA}-${onB}-${jobsAre}`, kind, jobsAre)
    const roles = [
      { act: act(onA), branch: 0 },
      { act: act(onB), branch: 1 },
    ]
    const { problems } = await judgeRaces(lane, scene, roles)
    expectNone(problems)
  })
}

const ON_B = ["complete", "signal", "userTask", "failRetryable", "failFinal", "sweep", "heartbeat"] as const
for (const other of ON_B) race("complete", other)
race("complete", "claim", "swept")
race("failFinal", "signal")
race("sweep", "signal")
