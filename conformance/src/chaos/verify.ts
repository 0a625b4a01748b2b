// What must hold when all is over: compares what callers were told, what handlers did, and what the database holds.
import type { Database } from "../../../engine/dist/db/database.js"
import { ALL_KINDS, examine, type Finding } from "../../../engine/dist/operations/upkeep/doctor.js"
import { readFinalState } from "./jobs/final-state.ts"
import { type JobFacts, jobFactsOf } from "./jobs/job-facts.ts"
import { judgeJobs } from "./jobs/judge-jobs.ts"
import type { Line } from "./journal.ts"

export interface Facts {
  readonly jobs: JobFacts
  readonly accepted: number
  readonly instances: number
  readonly deliveries: number
  readonly completedJobs: number
  readonly outcomes: Readonly<Record<string, number>>
}

/** Violations in words; empty when everything holds. */
export async function verify(db: Database, lines: readonly Line[]): Promise<{ facts: Facts; violations: string[] }> {
  const state = await readFinalState(db)
  const violations = [
    ...lines.flatMap((line) =>
      line.op === "bug" ? [`a process met what must not happen: ${line.what}: ${line.error}`] : [],
    ),
    ...(await lostOrDoubled(db, lines)),
    ...(await listed(db, NOT_TERMINAL, "S4, L1: accepted, and neither ended nor waiting for anything")),
    ...(await listed(db, RESULT_WITHOUT_HANDLER, "S8: completed by a delivery that no handler ran")),
    ...(await listed(db, OTHER_RESULT, "S7: the result that counts is not that of the delivery that was accepted")),
    ...(await listed(db, KEY_CHANGED, "F04: the idempotency key of a job changed between deliveries")),
    ...(await listed(db, CHILDREN, "F79: a completed order has not exactly one invoice")),
    ...judgeJobs(lines, state),
    ...(await diagnose(db)),
  ]
  return { facts: await factsOf(db, lines, jobFactsOf(lines, state)), violations }
}

export async function diagnose(db: Database, kinds: readonly Finding["kind"][] = ALL_KINDS): Promise<string[]> {
  return (await examine({ db }, { kinds })).map(tellFinding)
}

export function tellFinding({ name, meaning, symptoms }: Finding): string {
  const shown = symptoms.slice(0, 3).map(({ instanceId, detail }) => `${instanceId} (${detail})`)
  return `doctor, ${name}: ${meaning}: ${shown.join(", ")}`
}

/** Every accepted start is there with its input, once; all answers to one key name one instance. */
async function lostOrDoubled(db: Database, lines: readonly Line[]): Promise<string[]> {
  const rows = await db.script(`select id, input ->> 'ref' as ref, (input ->> 'amount')::integer as amount from (
    select id, input, parent_id from millrace.instances union all select id, input, parent_id from millrace.finished_instances) i
    where parent_id is null`)
  const byRef = new Map<string, { id: string; amount: number }[]>()
  for (const row of rows) {
    const ref = row.ref as string
    byRef.set(ref, [...(byRef.get(ref) ?? []), { id: row.id as string, amount: row.amount as number }])
  }
  const amounts = new Map(
    lines.flatMap((line) => (line.op === "invoke" ? [[line.key, line.request.variables.amount]] : [])),
  )
  const doubled = [...byRef].flatMap(([ref, all]) =>
    all.length > 1 ? [`S3: ${ref} was started ${all.length} times`] : [],
  )
  const wrong = lines.flatMap((line) => {
    if (line.op !== "ok") return []
    const [found] = byRef.get(line.key) ?? []
    if (!found) return [`S1: ${line.key} was accepted as ${line.id} and is lost`]
    if (found.id !== line.id) return [`S3: ${line.key} was answered with ${line.id}, but is ${found.id}`]
    return found.amount === amounts.get(line.key) ? [] : [`S1: ${line.key} has not the input it was sent with`]
  })
  const refused = lines.flatMap((line) =>
    line.op === "fail" && line.code !== "conflict" ? [`a start was refused with ${line.code}`] : [],
  )
  return [...doubled, ...wrong, ...refused]
}

async function listed(db: Database, query: string, what: string): Promise<string[]> {
  const rows = await db.script(`${query} limit 20`)
  return rows.map((row) => `${what}: ${Object.values(row).join(" ")}`)
}

const NOT_TERMINAL = "select id, status, state ->> 'open' from millrace.instances"

const RESULT_WITHOUT_HANDLER = `select h.instance_id, h.step_id, h.epoch from millrace.history h
  left join public.chaos_effects e on e.instance_id = h.instance_id and e.execution = h.execution and e.attempt = h.epoch
  where h.step_type = 'SERVICE_TASK' and h.status = 'COMPLETED' and e.instance_id is null`

// Each handler returns the number of its delivery, so the delta of a step names the delivery whose result was committed.
const OTHER_RESULT = `select instance_id, step_id, epoch, delta from millrace.history
  where step_type = 'SERVICE_TASK' and status = 'COMPLETED' and (delta ->> step_id)::integer is distinct from epoch`

const KEY_CHANGED = `select instance_id, execution from public.chaos_effects
  group by 1, 2 having count(distinct idempotency_key) > 1`

const CHILDREN = `select p.id, count(c.id) from millrace.finished_instances p
  left join (select id, parent_id from millrace.instances union all select id, parent_id from millrace.finished_instances) c on c.parent_id = p.id
  where p.definition_id = 'chaos-order' and p.status = 'COMPLETED' group by 1 having count(c.id) <> 1`

async function factsOf(db: Database, lines: readonly Line[], jobs: JobFacts): Promise<Facts> {
  const outcomes = await db.script(
    "select status, count(*) as count from millrace.finished_instances group by 1 order by 1",
  )
  const [counts] =
    await db.script(`select (select count(*) from public.chaos_effects where execution > 0) as deliveries,
    (select count(*) from millrace.history where step_type = 'SERVICE_TASK' and status = 'COMPLETED') as completed`)
  const byOutcome = Object.fromEntries(outcomes.map((row) => [row.status as string, row.count as number]))
  return {
    jobs,
    accepted: new Set(lines.flatMap((line) => (line.op === "ok" ? [line.key] : []))).size,
    instances: Object.values(byOutcome).reduce((sum, count) => sum + count, 0),
    deliveries: counts?.deliveries as number,
    completedJobs: counts?.completed as number,
    outcomes: byOutcome,
  }
}
