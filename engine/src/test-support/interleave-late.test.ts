// A worker without a token that has lost its job, and what it can meet, one statement at a time, on real PostgreSQL.
import { afterAll, beforeAll, test } from "vitest"
import { reportJob } from "../operations/jobs/end/report-jobs.ts"
import { type Act, type ActName, act, type JobsAre, sceneOf } from "./interleave-acts.ts"
import { type Lane, openLane } from "./interleave-lane.ts"
import { expectNone, judgeRaces } from "./interleave-race.ts"

let lane: Lane

beforeAll(async () => {
  lane = await openLane()
})
afterAll(() => lane.close())

const claimant = { workerId: "w1", token: undefined, actor: "w1" }

const LATE: readonly Act[] = [
  {
    name: "complete without a token",
    on: ["service"],
    ids: ["W-03"],
    run: (kernel, { job }, by) =>
      reportJob(kernel, { verb: "complete", jobId: job?.id ?? "", ...claimant, variables: { [by]: true } }),
  },
  {
    name: "fail for good without a token",
    on: ["service"],
    ids: ["W-03"],
    run: (kernel, { job }, by) =>
      reportJob(kernel, { verb: "fail", jobId: job?.id ?? "", ...claimant, retryable: false, message: by }),
  },
  {
    name: "fail without a token, to be retried",
    on: ["service"],
    ids: ["W-03"],
    run: (kernel, { job }, by) =>
      reportJob(kernel, { verb: "fail", jobId: job?.id ?? "", ...claimant, retryable: true, message: by }),
  },
]

function race(late: Act, other: Act, jobsAre: JobsAre): void {
  test(`${["W-03", ...other.ids].join(", ")}: ${late.name} meets ${other.name} (${jobsAre})`, async () => {
    const name = `late-${late.name}-${other.name}-${jobsAre}`.replaceAll(/[^a-z]+/g, "-")
    const roles = [late, other].map((one) => ({ act: one, branch: 0 }))
    expectNone((await judgeRaces(lane, sceneOf(name, [{ kind: "service", timers: [] }], jobsAre), roles)).problems)
  })
}

const meets = (jobsAre: JobsAre, ...names: ActName[]): void => {
  for (const late of LATE) for (const name of names) race(late, act(name), jobsAre)
}

meets("expired", "sweep")
meets("swept", "claim", "cancel")
meets("reclaimed", "cancel")
// The same delivery with its token: after the completion it is a repeat, after the failure it is none.
race(LATE[1] as Act, act("complete"), "reclaimed")
race(LATE[0] as Act, LATE[1] as Act, "reclaimed")
race(LATE[0] as Act, LATE[0] as Act, "reclaimed")
race(LATE[2] as Act, LATE[2] as Act, "reclaimed")
race(LATE[2] as Act, LATE[0] as Act, "reclaimed")
race(LATE[2] as Act, act("sweep"), "reclaimed")
