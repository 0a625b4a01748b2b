// How a job's key stands in its row, and in what is kept of it: a standalone job is execution 0 of an id of its own.
import type { ExecutionKey } from "../../support/ids.ts"
import type { JobKey } from "../../support/job-key.ts"

/** No interface: rows of a list are taken by their names, and an interface could be given more of them elsewhere. */
export type JobColumns = {
  readonly instance_id: string
  readonly execution: number
}

const STANDALONE = 0

export const toColumns = (key: JobKey): JobColumns =>
  key.kind === "standalone" ? { instance_id: key.id, execution: STANDALONE } : stepColumns(key)

export const stepColumns = (step: ExecutionKey): JobColumns => ({
  instance_id: step.instanceId,
  execution: step.execution,
})

export const jobKeyOf = ({ instance_id, execution }: JobColumns): JobKey =>
  execution === STANDALONE
    ? { kind: "standalone", id: instance_id }
    : { kind: "step", instanceId: instance_id, execution }
