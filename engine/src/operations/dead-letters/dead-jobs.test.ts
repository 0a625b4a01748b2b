// Dead letters of standalone jobs on a real database: replayed as new jobs, one by one or all that match, and never twice.

import { afterAll, afterEach, beforeAll, expect, test } from "vitest"
import { EVERYTHING } from "../../model/people/reach.ts"
import { drive } from "../../test-support/drive.ts"
import { holdLoops, noTerm } from "../../test-support/loops.ts"
import { countRows } from "../../test-support/rows.ts"
import { createTestEngine, type TestEngine } from "../../test-support/test-engine.ts"
import { releaseJobs } from "../flow/release-jobs.ts"
import { getBulk, runBulk } from "../instances/bulk-instances.ts"
import { wakeupsOf } from "../jobs/claim/wakeups.ts"
import { type EnqueueRequest, enqueueJob } from "../jobs/enqueue/enqueue-job.ts"
import { getJob } from "../jobs/read-jobs.ts"
import { keepHouse } from "../upkeep/keep-house.ts"
import { deadLetterDepth } from "./dead-letter-depth.ts"
import { discardDeadLetter } from "./discard-dead-letter.ts"
import { type DeadLetterView, getDeadLetter, listDeadLetters } from "./read-dead-letters.ts"
import { replayDeadLetter } from "./replay-dead-letter.ts"
import { createDeadLetterBulk, type DeadLetterBulkRequest } from "./replay-dead-letters.ts"

const DAY_MS = 24 * 3_600_000

let engine: TestEngine
let worker: ReturnType<typeof drive>

beforeAll(async () => {
  engine = await createTestEngine({ WE_HIGH_WATERMARK: "40", WE_LOW_WATERMARK: "10" })
  worker = drive(engine.kernel)
  await holdLoops(engine.kernel)
})
afterAll(() => engine.close())
afterEach(() => engine.db.script("truncate millrace.dead_letters"))

async function enqueue(jobType: string, more: Partial<EnqueueRequest> = {}): Promise<string> {
  const request = { jobType, payload: {}, whenFull: "absorb", actor: "local", ...more } as const
  return (await enqueueJob(engine.kernel, request)).job.id
}

/** Returns the job. */
async function kill(jobType: string, more: Partial<EnqueueRequest> = {}, error = "boom"): Promise<string> {
  const id = await enqueue(jobType, more)
  await worker.fail(await worker.claimOne(jobType), error, false)
  return id
}

async function killMany(jobType: string, count: number): Promise<string[]> {
  const ids: string[] = []
  for (let n = 0; n < count; n++) ids.push(await kill(jobType, { payload: { n } }))
  return ids
}

const lettersOf = async (type: string): Promise<readonly DeadLetterView[]> =>
  (await listDeadLetters(engine.kernel, { type }, { limit: 200 })).items

const onlyLetterOf = async (type: string): Promise<DeadLetterView> => {
  const letters = await lettersOf(type)
  expect(letters).toHaveLength(1)
  return letters[0] as DeadLetterView
}

async function replay(id: string): Promise<string> {
  const { outcome } = await replayDeadLetter(engine.kernel, { id, actor: "ann", reach: EVERYTHING })
  return outcome.jobId ?? ""
}

async function bulk(request: Pick<DeadLetterBulkRequest, "filter"> & Partial<DeadLetterBulkRequest>): Promise<string> {
  const { outcome } = await createDeadLetterBulk(engine.kernel, {
    action: "replay",
    dryRun: false,
    actor: "ann",
    reach: EVERYTHING,
    ...request,
  })
  return outcome.id
}

async function work(): Promise<void> {
  while ((await runBulk(engine.kernel, noTerm)) > 0);
}

const replaysOf = (jobType: string) => countRows(engine.db, "jobs", `step_id = '${jobType}' and replay_of is not null`)

test("D-07: a replay has the idempotency key of the job that died, however often it dies, and however it is claimed", async () => {
  const first = await kill("pay", { fairKey: "ann" })
  for (let n = 0; n < 2; n++) {
    const replayed = await replay((await onlyLetterOf("pay")).id)
    const job = await worker.claimOne("pay")
    expect([job.id, job.idempotencyKey]).toEqual([replayed, first])
    await worker.fail(job, "boom", false)
  }
  const plain = await kill("pay-plainly")
  await replay((await onlyLetterOf("pay-plainly")).id)
  expect(await worker.claimOne("pay-plainly")).toMatchObject({ idempotencyKey: plain })
})

test("D-07: a replay that is handed to a waiting worker has that key too", async () => {
  const first = await kill("pay-now")
  const waiting = worker.claimOne("pay-now")
  await expect.poll(() => wakeupsOf(engine.kernel).waitingFor()).toContain("pay-now")
  await replay((await onlyLetterOf("pay-now")).id)
  expect(await waiting).toMatchObject({ idempotencyKey: first })
})

test("D-21, D-T6: an exhausted job is a dead letter with its id, payload, priority, error and retry count, and shows in the depth", async () => {
  const before = await deadLetterDepth(engine.kernel)
  const id = await enqueue("mail", { payload: { to: "ada" }, priority: "high", retries: 1 })
  await worker.fail(await worker.claimOne("mail"), "host 1 is down")
  await engine.advanceClock(61_000)
  await releaseJobs(engine.kernel, noTerm)
  await worker.fail(await worker.claimOne("mail"), "host 2 is down")
  const letter = await onlyLetterOf("mail")
  expect(letter).toMatchObject({
    source: "job",
    jobId: id,
    type: "mail",
    priority: "high",
    reason: "exhausted",
    error: expect.stringContaining("host 2 is down"),
    attempts: 2,
    payload: { to: "ada" },
  })
  expect(letter.retryCount).toBe((await getJob(engine.kernel, id)).retryCount)
  const { history } = await getDeadLetter(engine.kernel, letter.id)
  expect(history).toMatchObject([
    { attempt: 1, outcome: "failed", error: "host 1 is down", workerId: "w1" },
    { attempt: 2, outcome: "failed", error: expect.stringContaining("host 2 is down"), workerId: "w1" },
  ])
  expect(await deadLetterDepth(engine.kernel)).toBe(before + 1)
})

test("D-07, D-X5: a replay is a new job in the queue it came from, with its full budget and a link to the one that died", async () => {
  const given = {
    payload: { to: "bob" },
    priority: "critical",
    retries: 2,
    timeoutMs: 7_000,
    downstream: "smtp",
  } as const
  const died = await kill("post", { ...given, retry: "minutes", fairKey: "tenant", limit: { key: "post", max: 3 } })
  const { id } = await onlyLetterOf("post")
  const jobId = await replay(id)
  expect(jobId).not.toBe(died)
  expect(await lettersOf("post")).toEqual([])
  const columns = "queue_id, payload, retry, fair_key, limit_key, downstream, run_ms, retries_left"
  await engine.db.script("select millrace.fill_limits(array['post'])")
  const [fresh] = await engine.db.script(`select ${columns} from millrace.jobs where instance_id = '${jobId}'`)
  const twin = await enqueue("post", { ...given, retry: "minutes", fairKey: "tenant", limit: { key: "post", max: 3 } })
  const [wanted] = await engine.db.script(`select ${columns} from millrace.jobs where instance_id = '${twin}'`)
  expect(fresh).toEqual(wanted)
  expect(await getJob(engine.kernel, jobId)).toMatchObject({ status: "PENDING", retryCount: 0, replayOf: died })
  expect(await getJob(engine.kernel, died)).toMatchObject({ status: "FAILED" })
  const [change] = await engine.db.script(`select actor, kind, detail from millrace.changes where name = '${id}'`)
  expect(change).toMatchObject({ actor: "ann", kind: "dead-letter-replayed" })
  expect(JSON.parse(change?.detail as string)).toEqual({ source: "job", jobId, of: died })
})

test("what became of a letter that is gone is said by its own id and by that of its job, and names the replay", async () => {
  const died = await kill("replayed-once")
  const { id } = await onlyLetterOf("replayed-once")
  const jobId = await replay(id)
  const dropped = await kill("dropped")
  await discardDeadLetter(engine.kernel, { id: dropped, actor: "bob", reach: EVERYTHING })
  for (const name of [id, died]) {
    await expect(getDeadLetter(engine.kernel, name)).rejects.toMatchObject({
      code: "not-found",
      message: expect.stringMatching(`there is no dead letter ${name}: it was replayed by ann at .*, as job ${jobId}$`),
    })
    await expect(replay(name)).rejects.toMatchObject({
      code: "conflict",
      message: expect.stringMatching(`^dead letter ${name} was replayed by ann at .*, as job ${jobId}$`),
    })
  }
  await expect(getDeadLetter(engine.kernel, dropped)).rejects.toThrow(/: it was discarded by bob at [^,]*$/)
  await expect(getDeadLetter(engine.kernel, "nope")).rejects.toThrow(/there is no dead letter nope$/)
})

test("D-X5: a replayed job does not die at its first failure", async () => {
  await kill("frail", { retries: 1 })
  const jobId = await replay((await onlyLetterOf("frail")).id)
  await worker.fail(await worker.claimOne("frail"), "once more")
  expect(await getJob(engine.kernel, jobId)).toMatchObject({ status: "PENDING", retryCount: 1 })
  expect(await lettersOf("frail")).toEqual([])
})

test("F61, D-X5: a replay is never refused, however full the queue is", async () => {
  const priority = { priority: "high" } as const
  await kill("packed", priority)
  const { id } = await onlyLetterOf("packed")
  for (let n = 0; n < 40; n++) await enqueue("filler", priority)
  await expect(enqueue("packed", { ...priority, whenFull: "refuse" })).rejects.toMatchObject({ code: "backpressure" })
  const jobId = await replay(id)
  expect((await getJob(engine.kernel, jobId)).status).toBe("PENDING")
  for (const job of await worker.claim(["filler"], 100)) await worker.complete(job)
  await worker.complete(await worker.claimOne("packed"))
})

test("F72: of many replays of one entry at once one counts, and the others are told so", async () => {
  await kill("clicked")
  const { id } = await onlyLetterOf("clicked")
  const clicks = Array.from({ length: 8 }, () =>
    replayDeadLetter(engine.kernel, { id, actor: "ann", reach: EVERYTHING }),
  )
  const results = await Promise.allSettled(clicks)
  expect(results.filter(({ status }) => status === "fulfilled")).toHaveLength(1)
  for (const result of results)
    if (result.status === "rejected") expect(result.reason).toMatchObject({ code: "conflict" })
  expect([await replaysOf("clicked"), await lettersOf("clicked")]).toEqual([1, []])
})

test("F72: a replay and a discard of one entry meet: one of them counts", async () => {
  for (let round = 0; round < 10; round++) {
    await kill("torn")
    const { id } = await onlyLetterOf("torn")
    const [replayed, discarded] = await Promise.allSettled([
      replayDeadLetter(engine.kernel, { id, actor: "ann", reach: EVERYTHING }),
      discardDeadLetter(engine.kernel, { id, actor: "bob", reach: EVERYTHING }),
    ])
    expect(replayed.status).not.toBe(discarded.status)
    expect([await replaysOf("torn"), await lettersOf("torn")]).toEqual([replayed.status === "fulfilled" ? 1 : 0, []])
    for (const job of await worker.claim(["torn"])) await worker.complete(job)
  }
})

test("D-T6: what nobody knows is not found, and a replay that fails leaves everything as it was", async () => {
  const unknown = "01JN8Z3V5E8Q2R7W4Y6T9A1B3C"
  await expect(replayDeadLetter(engine.kernel, { id: unknown, actor: "ann", reach: EVERYTHING })).rejects.toMatchObject(
    {
      code: "not-found",
    },
  )
  await kill("stuck")
  const { id } = await onlyLetterOf("stuck")
  await engine.db.script(`create function millrace.jam() returns trigger language plpgsql as $$
    begin raise exception 'jammed'; end $$;
    create trigger jam before delete on millrace.dead_letters for each row execute function millrace.jam()`)
  await expect(replay(id)).rejects.toThrow("jammed")
  await engine.db.script("drop function millrace.jam cascade")
  expect(await replaysOf("stuck")).toBe(0)
  expect((await onlyLetterOf("stuck")).id).toBe(id)
})

test("S20, F12: a crash in the middle of a replay of everything: each entry is replayed once, in the order they died", async () => {
  const died = await killMany("mass", 6)
  const letters = (await lettersOf("mass")).toReversed()
  const id = await bulk({ filter: { type: "mass" } })
  expect(await getBulk(engine.kernel, id)).toMatchObject({ action: "replay", matched: 6, done: 0, finished: false })
  await engine.db.script(`create function millrace.crash() returns trigger language plpgsql as $$
    begin if old.id = '${letters[3]?.id}' then raise exception 'killed' using errcode = '57P01'; end if; return old; end $$;
    create trigger crash before delete on millrace.dead_letters for each row execute function millrace.crash()`)
  await expect(work()).rejects.toMatchObject({ code: "57P01" })
  expect(await getBulk(engine.kernel, id)).toMatchObject({ done: 3, failed: 0, finished: false })
  expect([await replaysOf("mass"), (await lettersOf("mass")).length]).toEqual([3, 3])
  await engine.db.script("drop function millrace.crash cascade")
  await work()
  expect(await getBulk(engine.kernel, id)).toMatchObject({ matched: 6, done: 6, failed: 0, finished: true })
  const links = await engine.db.script(
    "select replay_of from millrace.jobs where step_id = 'mass' order by instance_id",
  )
  expect(links.map(({ replay_of }) => replay_of)).toEqual(died)
  expect(await lettersOf("mass")).toEqual([])
})

test("F12: what dies after the request, for the first time or again, is not replayed by it", async () => {
  await killMany("cursed", 2)
  const id = await bulk({ filter: { type: "cursed" } })
  await replay((await lettersOf("cursed"))[0]?.id ?? "")
  await worker.fail(await worker.claimOne("cursed"), "again", false)
  await kill("cursed")
  await work()
  expect(await getBulk(engine.kernel, id)).toMatchObject({ matched: 2, done: 1, failed: 0, finished: true })
  expect(await lettersOf("cursed")).toHaveLength(2)
})

test("a bulk replay and a click meet: the entry is replayed once", async () => {
  await killMany("shared", 5)
  const letters = await lettersOf("shared")
  const id = await bulk({ filter: { type: "shared" } })
  await Promise.all([work(), ...letters.map((letter) => replay(letter.id).catch(() => ""))])
  expect(await replaysOf("shared")).toBe(5)
  expect((await getBulk(engine.kernel, id)).finished).toBe(true)
})

test("a bulk discard takes what matches, and says by whom", async () => {
  await killMany("junk", 3)
  await kill("gem")
  const id = await bulk({ action: "discard", filter: { type: "junk" } })
  await work()
  expect(await getBulk(engine.kernel, id)).toMatchObject({ action: "discard", matched: 3, done: 3, finished: true })
  expect([await lettersOf("junk"), (await lettersOf("gem")).length]).toEqual([[], 1])
  expect(await countRows(engine.db, "changes", "kind = 'dead-letter-discarded' and actor = 'ann'")).toBe(3)
})

test("a payload that is large is with its entry, not in the list", async () => {
  await kill("heavy", { payload: { noise: Array.from({ length: 3_000 }, (_, n) => n * 7_919 + 1) } })
  const letter = await onlyLetterOf("heavy")
  expect(letter.payload).toBeUndefined()
  expect((await getDeadLetter(engine.kernel, letter.id)).payload).toMatchObject({ noise: expect.any(Array) })
})

test("dead letters of jobs are kept for as long as anything else, from their death on", async () => {
  await kill("old")
  await engine.advanceClock(29 * DAY_MS)
  await kill("young")
  await keepHouse(engine.kernel)
  expect([(await lettersOf("old")).length, (await lettersOf("young")).length]).toEqual([1, 1])
  await engine.advanceClock(2 * DAY_MS)
  await keepHouse(engine.kernel)
  expect([(await lettersOf("old")).length, (await lettersOf("young")).length]).toEqual([0, 1])
})

test("the depth is exact while they are few; of many it is counted at most every 15 s", async () => {
  const fill = (from: number, to: number) =>
    engine.db.script(`insert into millrace.dead_letters
      select '01J' || lpad(n::text, 23, '0'), 'job', '01J' || lpad(n::text, 23, '0'), 0, 't', 1, 'exhausted', 'e', 'f', 1, 0, null, null, millrace.clock()
      from generate_series(${from}, ${to}) n`)
  expect(await deadLetterDepth(engine.kernel)).toBe(0)
  await fill(1, 10_000)
  expect(await deadLetterDepth(engine.kernel)).toBe(10_000)
  await fill(10_001, 10_500)
  expect(await deadLetterDepth(engine.kernel)).toBe(10_500)
  await fill(10_501, 11_000)
  expect(await deadLetterDepth(engine.kernel)).toBe(10_500)
  await engine.advanceClock(15_000)
  await expect.poll(() => deadLetterDepth(engine.kernel)).toBe(11_000)
})
