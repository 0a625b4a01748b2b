// The doctor on a healthy database, and on one that was hurt on purpose: every check finds its own wound.
import { afterAll, beforeAll, describe, expect, test } from "vitest"
import type { NamedValues } from "../../db/bind-values.ts"
import type { Statement } from "../../db/statements.ts"
import { end, forked, service, step, workflow } from "../../test-support/definitions.ts"
import { drive } from "../../test-support/drive.ts"
import { createTestEngine, type TestEngine } from "../../test-support/test-engine.ts"
import { fireTimers } from "../instances/run-timers.ts"
import { ALL_KINDS, CHECKS, examine } from "./doctor.ts"

let engine: TestEngine
let worker: ReturnType<typeof drive>

const busy = workflow("busy", [
  step("PARALLEL_GATEWAY", "fork", { parallelNextSteps: ["work", "ask"], joinStep: "join" }),
  service("work", "join", {
    boundaryEvents: [{ type: "TIMER", duration: "PT1H", interrupting: true, targetStepId: "late" }],
  }),
  step("USER_TASK", "ask", { nextStep: "join" }),
  service("late", "join"),
  step("JOIN_GATEWAY", "join", { nextStep: "end" }),
  end(),
])

beforeAll(async () => {
  engine = await createTestEngine()
  worker = drive(engine.kernel)
  await engine.upload(busy)
  await engine.upload(forked())
})
afterAll(() => engine.close())

const found = async (fromId: string) =>
  (await examine(engine.kernel, { fromId, kinds: ALL_KINDS })).map(({ name }) => name)

test("S10, S11, S16: a healthy database has nothing to tell", async () => {
  const id = await worker.start("forked")
  for (const type of ["a", "b", "a2", "after"]) await worker.complete(await worker.claimOne(type))
  await worker.start("busy", {}, { businessKey: "k" })
  expect((await worker.get(id)).status).toBe("COMPLETED")
  expect(await examine(engine.kernel, { kinds: ALL_KINDS })).toEqual([])
})

test("W-01, S11: an END beside a fork leaves branches behind, which is no wound", async () => {
  const boundaryEvents = [{ type: "TIMER", duration: "PT1S", interrupting: false, targetStepId: "end" }]
  const fork = step("PARALLEL_GATEWAY", "fork", { parallelNextSteps: ["work", "hold"], joinStep: "join" })
  const hold = step("WAIT", "hold", { nextStep: "join", boundaryEvents })
  const join = step("JOIN_GATEWAY", "join", { nextStep: "end" })
  await engine.upload(workflow("ended", [fork, service("work", "join"), hold, join, end()]))
  const id = await worker.start("ended", {}, { businessKey: "ended" })
  await engine.advanceClock(1_000)
  await fireTimers(engine.kernel, async () => {})
  await expect.poll(async () => (await worker.get(id)).status).toBe("COMPLETED")
  expect(await examine(engine.kernel, { fromId: id })).toEqual([])
})

describe("every check finds its wound", () => {
  /** Where a wound is not an instance's. */
  const SUBJECTS: Record<string, unknown> = {
    depthCounters: "gate of high",
    missingObjects: "view workflow",
    failingSchedules: "schedule stuck",
    oldTransactionIds: expect.stringMatching(/^database t_/),
    laggingSinks: "sink still",
    parkedEvents: "sink picky",
    fullOutbox: "outbox",
    movedOutbox: "outbox",
    lostTicks: "schedule gone",
  }
  const now = "(select millrace.clock())"
  const FINISHED = `insert into millrace.finished_instances select id, definition_id, definition_version, 'COMPLETED', priority, null, null, null,
    input, null, null, version, reads_variables, started_at, started_at from millrace.instances where id = $id`
  const wounds: Record<string, string> = {
    missingObjects: "drop view millrace_views.workflow",
    inBothTables: FINISHED,
    withoutOpenStep: `update millrace.instances set state = jsonb_set(state::jsonb, '{open}', '[]')::json where id = $id`,
    stepsWithoutWork: "delete from millrace.jobs where instance_id = $id",
    jobsWithoutStep: "update millrace.jobs set execution = 99 where instance_id = $id",
    jobsWithoutQueue: "update millrace.jobs set queue_id = 0 where instance_id = $id",
    timersWithoutStep: "update millrace.timers set execution = 99 where instance_id = $id",
    userTasksWithoutStep: "update millrace.user_tasks set execution = 99 where instance_id = $id",
    businessKeys: "delete from millrace.business_keys where instance_id = $id",
    leaseShapes: `update millrace.jobs set lease_until = ${now} where instance_id = $id`,
    jobsInBoth: `insert into millrace.history (instance_id, execution, step_id, step_type, attempt, status, started_at, ended_at, seq)
      select instance_id, execution, step_id, 'SERVICE_TASK', 1, 'COMPLETED', created_at, created_at, 1 from millrace.jobs where instance_id = $id`,
    brokenLimits: `insert into millrace.limits values ('two', 1); update millrace.jobs set limit_key = 'two' where instance_id = $id;
      insert into millrace.jobs (instance_id, execution, queue_id, status, seq, step_id, retries_left, created_at, limit_key)
      select instance_id, 98, queue_id, 'ready', seq, step_id, 0, created_at, 'two' from millrace.jobs where instance_id = $id limit 1`,
    attemptCounts: "update millrace.jobs set epoch = 5 where instance_id = $id",
    forkTokens: `update millrace.instances set state = jsonb_set(state::jsonb, '{forks,0,arrived}', '1')::json where id = $id`,
    joinCounts: FINISHED,
    executionCounts: `update millrace.instances set state = jsonb_set(state::jsonb, '{executions}', '9')::json where id = $id`,
    auditGaps: `insert into millrace.audit select instance_id, 99, at, actor, 'JOB_COMPLETED', null from millrace.audit
      where instance_id = $id and seq = 1`,
    auditVersions: "update millrace.instances set version = version + 1 where id = $id",
    auditEnds: `insert into millrace.audit select instance_id, 99, at, actor, 'INSTANCE_CANCELLED', null from millrace.audit
      where instance_id = $id and seq = 1`,
    pendingChains: `insert into millrace.chains values ($id, 'next', '{}', null, 'normal', null, ${now}, ${now})`,
    depthCounters: "update millrace.gates set live = live + 1 where name = 'high'",
    overdueLeases: `update millrace.jobs set status = 'leased', nonce = gen_random_uuid(), worker_id = 'w', epoch = 1,
      lease_until = ${now} - interval '1 hour' where instance_id = $id`,
    overdueTimers: `update millrace.timers set due_at = ${now} - interval '1 hour' where instance_id = $id`,
    overdueRetries: `update millrace.jobs set status = 'held', visible_at = ${now} - interval '1 hour' where instance_id = $id`,
    overdueRequests: `insert into millrace.requests (verb, instance_id, arguments, actor, created_at, next_at)
      values ('cancel', $id, '{}', 'sql', ${now}, ${now} - interval '1 hour')`,
    failingTimers: "update millrace.timers set failures = 3, last_error = 'no' where instance_id = $id",
    failingChains: `insert into millrace.chains (parent_id, definition_id, variables, priority, created_at, next_at, failures, last_error)
      values ($id, 'busy', '{}', 'normal', ${now}, ${now} + interval '1 minute', 3, 'no')`,
    failingSchedules: `insert into millrace.schedules (id, cron, timezone, job_type, input, overlap, catch_up, enabled, changed_at,
      changed_by, failures, last_error) values ('stuck', '* * * * *', 'UTC', 't', '{}', 'skip', 'last', true, ${now}, 'ann', 3, 'no')`,
    setAsideRequests: `insert into millrace.requests (verb, instance_id, arguments, actor, created_at, next_at, last_error, set_aside_at)
      values ('cancel', $id, '{}', 'sql', ${now}, ${now}, 'no', ${now})`,
    oldTransactionIds: `update pg_database set datfrozenxid =
      mod(pg_current_xact_id()::text::numeric - 1500000000 + 4294967296, 4294967296)::text::xid where datname = current_database()`,
    laggingSinks: `insert into millrace.sinks (name, kind, after_seq, created_at) values ('still', 'http', 0, ${now});
      insert into millrace.events (id, incarnation, type, payload, headers, created_at)
      values ($id, 'x', 't', '{}', '{}', ${now} - interval '1 hour')`,
    parkedEvents: `insert into millrace.parked_events (sink, seq, event_id, reason, attempts, parked_at)
      values ('picky', 1, $id, 'too large', 1, ${now}), ('picky', 2, $id, 'behind', 0, ${now})`,
    fullOutbox: `update millrace.outbox set high_watermark = 1; insert into millrace.events (id, incarnation, type, payload, headers, created_at)
      values ($id, 'x', 't', '{}', '{}', ${now})`,
    movedOutbox: "update millrace.outbox set lineage = '1/00000001'",
    trailBeginnings: `delete from millrace.audit where instance_id = $id and seq = 1;
      insert into millrace.audit values ($id, 1, ${now}, 'engine', 'JOB_DISPATCHED', null)`,
    trailAfterEnd: `insert into millrace.audit select instance_id, n, at, actor, what, null from millrace.audit,
      (values (98, 'INSTANCE_CANCELLED'), (99, 'JOB_COMPLETED')) later (n, what) where instance_id = $id and seq = 1`,
    trailStatus: `${FINISHED};
      insert into millrace.audit select instance_id, 99, at, actor, 'INSTANCE_FAILED', null from millrace.audit where instance_id = $id and seq = 1`,
    firedTwice: `insert into millrace.audit select instance_id, 99, at, actor, 'TIMER_FIRED', '{"stepId":"work","interrupting":true}'
      from millrace.audit where instance_id = $id and seq = 1`,
    sharedTokens: `insert into millrace.jobs (instance_id, execution, queue_id, status, seq, step_id, retries_left, created_at)
      select instance_id, 98, queue_id, 'ready', seq, step_id, 0, created_at from millrace.jobs where instance_id = $id limit 1;
      update millrace.jobs set status = 'leased', nonce = '${"0".repeat(32)}', worker_id = 'w' || execution, epoch = 1, lease_until = ${now} where instance_id = $id`,
    deadAndAlive: `insert into millrace.dead_letters (id, source, instance_id, execution, step_id, queue_id, reason, error, failure, attempts, retry_count, dead_at)
      select 'd' || instance_id, 'step', instance_id, execution, step_id, queue_id, 'exhausted', 'no', 'no', 1, 0, ${now}
      from millrace.jobs where instance_id = $id limit 1`,
    missingVersions: "update millrace.instances set definition_version = 99 where id = $id",
    lostChildren: `${FINISHED}; insert into millrace.chains (parent_id, definition_id, variables, priority, child_id, created_at, next_at)
      values ($id, 'busy', '{}', 'normal', 'nobody', ${now}, ${now})`,
    lostTicks: `insert into millrace.schedule_runs (schedule_id, due_at, fired_at, cause, outcome, work_id)
      values ('gone', ${now}, ${now}, 'cron', 'started', $id || 'x')`,
  }

  test("there is a wound for every check", () => {
    expect(Object.keys(wounds)).toEqual(CHECKS.map(({ name }) => name))
  })

  for (const [name, wound] of Object.entries(wounds)) {
    test(`${name}: ${CHECKS.find((check) => check.name === name)?.meaning}`, async () => {
      const id = await worker.start("busy", {}, { businessKey: name })
      // One transaction that is taken back: the loops of this engine never see the wound.
      const connection = await engine.db.dedicated()
      try {
        await connection.query("begin")
        await connection.query(wound.replaceAll("$id", `'${id}'`))
        const ponder = async (statement: Statement, named: NamedValues) => {
          const { text, values } = engine.db.inOrder(statement, named)
          return (await connection.query(text, [...values])).rows
        }
        const db = { ponder }
        const findings = await examine({ db } as unknown as TestEngine, { fromId: id, kinds: ALL_KINDS })
        const finding = findings.find((each) => each.name === name)
        const subject = SUBJECTS[name] ?? id
        expect(finding?.symptoms).toMatchObject([{ instanceId: subject, detail: expect.any(String) }])
        expect(finding?.advice).not.toBe("")
      } finally {
        await connection.query("rollback")
        connection.release()
      }
      expect(await found(id)).toEqual([])
    })
  }
})

test("F43, S17: a sink that lags is told with the transaction that holds its events back", async () => {
  const client = await engine.db.dedicated()
  await client.query("begin; select pg_current_xact_id()")
  await engine.db.script(`select millrace.publish('t', '{}');
    insert into millrace.sinks (name, kind, after_seq, created_at) values ('held', 'kafka', 0, millrace.clock())`)
  await engine.advanceClock(31_000)
  const findings = await examine(engine.kernel, { kinds: ["progress"] })
  expect(findings.find(({ name }) => name === "laggingSinks")?.symptoms).toMatchObject([
    { instanceId: "sink held", detail: expect.stringMatching(/no process leads it, held back by .* pid \d+/) },
  ])
  await client.query("rollback")
  client.release()
  await engine.db.script("delete from millrace.sinks; delete from millrace.events")
})
