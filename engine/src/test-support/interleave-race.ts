// Judges races: whatever the order of the statements, the outcome must be that of the transactions one after the other,
// in one order or another, and the doctor must find nothing.

import { CommitLostError } from "../db/transaction.ts"
import { cancelInstance } from "../operations/instances/change-instance.ts"
import { examine } from "../operations/upkeep/doctor.ts"
import { EngineError } from "../support/errors.ts"
import {
  type Ending,
  interleave,
  preempting,
  type Race,
  randomly,
  type Schedule,
  seeded,
  serially,
} from "./interleave.ts"
import { type Act, prepare, type Scene, type Target } from "./interleave-acts.ts"
import type { Lane } from "./interleave-lane.ts"

/** An act and the branch it is on. */
export interface Role {
  readonly act: Act
  readonly branch: number
}

export interface Verdict {
  readonly races: number
  readonly distinct: number
  readonly problems: readonly string[]
}

/** How many schedules of each pair, beyond the serial ones. */
export const SAMPLES = Number(process.env.MILLRACE_INTERLEAVINGS ?? (process.env.MILLRACE_FULL_TESTS ? 10 : 2))
export const SEED = Number(process.env.MILLRACE_SEED ?? 20_261_115)

interface Outcome {
  readonly summary: string
  readonly race: Race<string>
  readonly problems: readonly string[]
}

export async function judgeRaces(
  lane: Lane,
  scene: Scene,
  roles: readonly Role[],
  samples = SAMPLES,
): Promise<Verdict> {
  await lane.upload(scene.document)
  const legal = new Set<string>()
  const seen = new Set<string>()
  const problems: string[] = []
  let statements: readonly number[] = []
  for (const order of ordersOf(roles.length)) {
    const outcome = await raceOnce(lane, scene, roles, serially(order))
    problems.push(...outcome.problems)
    legal.add(outcome.summary)
    statements = outcome.race.statements.map((count, index) => Math.max(count, statements[index] ?? 0))
  }
  for (const without of skipsOf(roles))
    legal.add((await raceOnce(lane, scene, roles, serially([0, 1, 2]), without)).summary)
  const random = seeded(SEED + hash(scene.definitionId))
  for (const [name, schedule] of schedulesOf(statements, samples, random)) {
    const { summary, race, problems: found } = await raceOnce(lane, scene, roles, schedule)
    seen.add(race.trace.join(" "))
    const about = `seed ${SEED}, schedule ${name}: ${race.trace.join(" ")}`
    problems.push(...found.map((problem) => `${problem}\n  ${about}`))
    if (!legal.has(summary))
      problems.push(
        `no serial order gives this outcome\n  ${about}\n  got   ${summary}\n  legal ${[...legal].join("\n        ")}`,
      )
  }
  return { races: samples, distinct: seen.size, problems }
}

const SHOWN = 3

export function expectNone(problems: readonly string[]): void {
  const more = problems.length > SHOWN ? `\nand ${problems.length - SHOWN} more` : ""
  if (problems.length > 0) throw new Error(`${problems.slice(0, SHOWN).join("\n")}${more}`)
}

async function raceOnce(
  lane: Lane,
  scene: Scene,
  roles: readonly Role[],
  schedule: Schedule,
  without?: number,
): Promise<Outcome> {
  const targets = await prepare(lane, scene)
  await lane.warm(scene.definitionId)
  const { instanceId } = targets[0] as Target
  const sides = roles.map(({ act, branch }, index) => {
    const { gates, kernel } = lane.racers[index] as Lane["racers"][number]
    const by = "XYZ"[index] as string
    const run = () => act.run(kernel, targets[branch] as Target, by)
    return { gates, run: index === without ? async () => "claimed nothing" : run }
  })
  const race = await interleave(sides, schedule, lane.findBlocked)
  await comeBack(lane, roles, targets)
  const [findings, seen, ends] = await Promise.all([
    examine(lane, { fromId: instanceId, kinds: ["state", "audit"] }),
    fingerprint(lane, instanceId),
    countEnds(lane, instanceId, "a"),
  ])
  const problems = [
    ...race.endings.flatMap((ending) => failureOf(ending)),
    ...lane.takeErrors().map((line) => `an error was logged: ${line.trim()}`),
    ...findings.map((f) => `doctor: ${f.name}: ${f.meaning}: ${f.symptoms.map((s) => s.detail).join("; ")}`),
  ]
  problems.push(...contradictions(scene, roles, race.endings.map(told)))
  const onOneStep = roles.every(({ act, branch }) => act.ends && branch === 0) && scene.jobsAre === "expired"
  if (onOneStep && ends !== 1) problems.push("not exactly one of them ended the step")
  const summary = `${race.endings.map(told).join(" | ")} | ${seen}`
  await clear(lane, instanceId)
  return { summary, race, problems }
}

const NEXT_ROUND_MS = 2_000

/** The next round of the loops among them: whatever was held during the race, they do it now. */
async function comeBack(lane: Lane, roles: readonly Role[], targets: readonly Target[]): Promise<void> {
  const loops = roles.filter(({ act }) => act.comesBack)
  if (loops.length > 0) await lane.advanceClock(NEXT_ROUND_MS)
  for (const { act, branch } of loops) await act.run(lane.kernel, targets[branch] as Target, "next round")
}

/** What no order may tell, whatever the serial ones say: the token decides, and it is used up by one report. */
function contradictions(scene: Scene, roles: readonly Role[], answers: readonly string[]): string[] {
  const of = (branch: number, names: readonly string[]) =>
    roles.flatMap(({ act, branch: on }, index) =>
      on === branch && names.includes(act.name) ? [{ name: act.name, answer: answers[index] }] : [],
    )
  return scene.branches.flatMap((_, branch) => {
    const isAccepted = (...names: string[]) => of(branch, names).some(({ answer }) => answer === "accepted")
    const isFailed = isAccepted("fail (retryable)", "fail (final)")
    const beats = of(branch, ["heartbeat"])
    const isClaimed = of(branch, ["claim"]).some(({ answer }) => answer?.endsWith("#2"))
    return [
      ...(isAccepted("complete") && isFailed
        ? ["S7: one token, and two reports that exclude each other were accepted"]
        : []),
      ...(isClaimed && isAccepted("complete", "fail (final)")
        ? ["S7: a report counted though the job was claimed again"]
        : []),
      ...(scene.jobsAre === "reclaimed" && (isAccepted("complete") || isFailed)
        ? ["S7: an old token was accepted"]
        : []),
      ...(["swept", "reclaimed"].includes(scene.jobsAre) && beats.some(({ answer }) => answer === "extended")
        ? ["S6: a lost lease was extended"]
        : []),
    ]
  })
}

/** Refusals from the catalogue are answers; everything else, contention included, is a failure that a caller would see as a 5xx. */
function failureOf(ending: Ending<string>): string[] {
  if (!("error" in ending)) return []
  const { error } = ending
  if (error instanceof EngineError && !["unavailable", "internal-error"].includes(error.code)) return []
  const cause = error instanceof EngineError ? error.cause : error
  const code = cause instanceof CommitLostError ? "commit lost" : ((cause as { code?: string })?.code ?? "")
  return [`a call failed: ${String(error)} (${code} ${String((cause as Error)?.stack ?? cause)})`]
}

const told = (ending: Ending<string>): string =>
  "value" in ending ? ending.value : ending.error instanceof EngineError ? ending.error.code : "failed"

function ordersOf(count: number): number[][] {
  if (count === 1) return [[0]]
  return ordersOf(count - 1).flatMap((order) =>
    Array.from({ length: count }, (_, at) => [...order.slice(0, at), count - 1, ...order.slice(at)]),
  )
}

const skipsOf = (roles: readonly Role[]): number[] => roles.flatMap(({ act }, index) => (act.maySkip ? [index] : []))

/** Half with one preemption at a point drawn without repetition, the rest random walks. */
function* schedulesOf(
  statements: readonly number[],
  samples: number,
  random: () => number,
): Generator<[string, Schedule]> {
  const sides = statements.map((_, index) => index)
  const points = shuffle(
    statements.flatMap((count, first) =>
      Array.from({ length: Math.max(0, count - 1) }, (_, n) => ({ first, after: n + 1 })),
    ),
    random,
  )
  for (let n = 0; n < samples; n++) {
    const point = n % 3 < 2 ? points.pop() : undefined
    if (point)
      yield [
        `${n} (side ${point.first} stops after ${point.after})`,
        preempting(point.first, point.after, shuffle(sides, random)),
      ]
    else yield [`${n} (random)`, randomly(random)]
  }
}

function shuffle<T>(items: readonly T[], random: () => number): T[] {
  const result = [...items]
  for (let i = result.length - 1; i > 0; i--) {
    const j = Math.floor(random() * (i + 1))
    ;[result[i], result[j]] = [result[j] as T, result[i] as T]
  }
  return result
}

const hash = (text: string): number => [...text].reduce((sum, char) => (Math.imul(sum, 31) + char.charCodeAt(0)) | 0, 7)

/** Everything a reader could see of an instance afterwards, but for numbers and times that depend on the order alone. */
async function fingerprint(lane: Lane, id: string): Promise<string> {
  const [row] = await lane.db.script(`
    with i as (
      select status, null as failure_reason, coalesce(variables, input) as variables, state from millrace.instances where id = '${id}'
      union all
      select status, failure_reason, coalesce(variables, input), state from millrace.finished_instances where id = '${id}'
    )
    select json_build_array(
      (select json_agg(json_build_array(status, failure_reason, variables)) from i),
      (select string_agg(o ->> 'stepId', ' ' order by o ->> 'stepId') from i, json_array_elements(i.state -> 'open') o),
      (select string_agg(f ->> 'arrived', ' ') from i, json_array_elements(i.state -> 'forks') f),
      (select string_agg(concat_ws('/', step_id, attempt, status, failure_reason, delta), ' ' order by step_id, attempt)
        from millrace.history where instance_id = '${id}'),
      (select string_agg(concat_ws('/', epoch, outcome, error), ' ' order by execution, epoch) from millrace.attempts where instance_id = '${id}'),
      (select string_agg(concat_ws('/', step_id, status, epoch, retries_left, lost_leases, nonce is null, worker_id,
          lease_until > millrace.clock(), visible_at is not null), ' ' order by step_id, execution)
        from millrace.jobs where instance_id = '${id}'),
      (select string_agg(timer, ' ' order by execution, timer) from millrace.timers where instance_id = '${id}'),
      (select string_agg(concat_ws('/', step_id, status, completed_by), ' ' order by step_id, execution) from millrace.user_tasks where instance_id = '${id}'),
      (select string_agg(kind || '/' || actor, ' ' order by seq) from millrace.trail where instance_id = '${id}'),
      (select count(*) from millrace.business_keys where instance_id = '${id}'),
      (select count(*) from millrace.chains where parent_id = '${id}'),
      (select count(*) from millrace.instances where linking_id = '${id}')
    ) as everything`)
  return String(row?.everything)
}

/** How many audit rows say that they ended the step. */
async function countEnds(lane: Lane, id: string, stepId: string): Promise<number> {
  const [row] = await lane.db.script(`
    select count(*) as ends from millrace.trail
    where instance_id = '${id}' and case kind
      when 'INSTANCE_COMPLETED' then detail::jsonb -> 'skipped' ? '${stepId}'
      when 'INSTANCE_CANCELLED' then detail::jsonb -> 'skipped' ? '${stepId}'
      when 'TIMER_FIRED' then detail ->> 'stepId' = '${stepId}' and detail ->> 'interrupting' = 'true'
      else detail ->> 'stepId' = '${stepId}' and kind in ('JOB_COMPLETED', 'JOB_FAILED', 'USER_TASK_COMPLETED', 'WAIT_SIGNALLED')
    end`)
  return row?.ends as number
}

async function clear(lane: Lane, instanceId: string): Promise<void> {
  await cancelInstance(lane.kernel, { instanceId, reason: "race over", actor: "local" }).catch((error: unknown) => {
    if (!(error instanceof EngineError && error.code === "conflict")) throw error
  })
}
