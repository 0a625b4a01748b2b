// A database with a little of everything, to be made large by copies: for tests and benches of what grows with the rows.
import { uploadDefinition } from "../operations/definitions/upload-definition.ts"
import { enqueueJob } from "../operations/jobs/enqueue/enqueue-job.ts"
import type { Kernel } from "../operations/kernel/kernel.ts"
import { createWeeks } from "../operations/upkeep/keep-house.ts"
import { end, forked, service, step, workflow } from "./definitions.ts"
import { drive } from "./drive.ts"

const DAY_MS = 24 * 3_600_000

/** No copy of a job may break it. */
const WIDE = { key: "wide", max: 1_000_000_000 }

const busy = workflow("busy", [
  step("PARALLEL_GATEWAY", "fork", { parallelNextSteps: ["work", "ask"], joinStep: "join" }),
  service("work", "join", {
    boundaryEvents: [{ type: "TIMER", duration: "P1D", interrupting: true, targetStepId: "late" }],
  }),
  step("USER_TASK", "ask", { nextStep: "join" }),
  service("late", "join"),
  step("JOIN_GATEWAY", "join", { nextStep: "end" }),
  end(),
])

/** Instances and jobs that wait, that are worked on, that were tried again, that ended well and that died. */
export async function fillWithEverything(kernel: Kernel): Promise<void> {
  await createWeeks(kernel)
  for (const document of [busy, forked()]) await uploadDefinition(kernel, { document, actor: "local" })
  await runInstances(kernel)
  await runJobs(kernel)
  // Each completed instance has a next workflow, which is not due yet.
  await kernel.db.script(`insert into millrace.chains (parent_id, definition_id, variables, priority, created_at, next_at)
    select id, definition_id, '{}', priority, completed_at, completed_at + interval '1 day'
    from millrace.finished_instances where status = 'COMPLETED'`)
}

async function runInstances(kernel: Kernel): Promise<void> {
  const worker = drive(kernel)
  for (const businessKey of ["first", "second"]) {
    await worker.start("forked", { order: 4711 }, { businessKey })
    for (const type of ["a", "b", "a2", "after"]) await worker.complete(await worker.claimOne(type), { [type]: true })
  }
  await worker.start("forked")
  await worker.complete(await worker.claimOne("b"))
  await worker.fail(await worker.claimOne("a"), "broken for good", false)
  await worker.start("busy", {}, { businessKey: "third" })
  await worker.claimOne("work", DAY_MS)
  await worker.start("busy")
  await worker.fail(await worker.claimOne("work"), "broken for now", true, DAY_MS)
}

async function runJobs(kernel: Kernel): Promise<void> {
  const worker = drive(kernel)
  const enqueue = (jobType: string) =>
    enqueueJob(kernel, { jobType, payload: { n: 1 }, limit: WIDE, key: jobType, whenFull: "absorb", actor: "local" })
  await enqueue("done")
  await worker.complete(await worker.claimOne("done"))
  await enqueue("dead")
  await worker.fail(await worker.claimOne("dead"), "broken for good", false)
  await enqueue("ready")
}

/** One instance that stands at so many steps at once: half of them jobs with a timer, half of them user tasks. */
export async function startWideInstance(kernel: Kernel, branches: number): Promise<void> {
  await createWeeks(kernel)
  const ids = Array.from({ length: branches }, (_, k) => `s${k}`)
  const boundaryEvents = [{ type: "TIMER", duration: "P1D", interrupting: true, targetStepId: "late" }]
  const steps = ids.map((id, k) =>
    k % 2 === 0
      ? service(id, "join", { jobType: "wide", boundaryEvents })
      : step("USER_TASK", id, { nextStep: "join" }),
  )
  const fork = step("PARALLEL_GATEWAY", "fork", { parallelNextSteps: ids, joinStep: "join" })
  const rest = [service("late", "join"), step("JOIN_GATEWAY", "join", { nextStep: "end" }), end()]
  await uploadDefinition(kernel, { document: workflow("wide", [fork, ...steps, ...rest]), actor: "local" })
  await drive(kernel).start("wide", {}, { businessKey: "wide" })
}
