// What a key reaches, whatever the route: every route of the contract, every scope, every kind of object behind it.
import { afterAll, beforeAll, describe, expect, test } from "vitest"
import { SCOPES } from "../../model/people/scopes.ts"
import { end, service, step, workflow } from "../../test-support/definitions.ts"
import { ACCESS, type Kind, TARGETS } from "./test-support/access.ts"
import { loadContract } from "./test-support/contract.ts"
import { pathFor } from "./test-support/every-route.ts"
import { createTestServer, type Reply, type TestServer } from "./test-support/test-server.ts"

const KINDS: readonly Kind[] = ["instance", "job"]
/** What only the scopes that ACCESS names may bring to light. */
const SECRET: Readonly<Record<Kind, string>> = { instance: "secret-of-an-instance", job: "secret-of-a-job" }
const READS: Readonly<Record<Kind, string>> = { instance: "instances:read", job: "jobs:read" }
const secretOf = (kind: Kind) => ({ secret: SECRET[kind] })
/** An instance whose variables and business key are secret. */
const started = async (definitionId: string): Promise<string> => {
  const businessKey = `${SECRET.instance}-${++made}`
  return (await admin("POST /v1/instances", { definitionId, variables: secretOf("instance"), businessKey })).body.id
}

const FORM = { properties: { approved: { type: "boolean" } } }

let server: TestServer
let made = 0

/** A key has the scopes that it is called by; behind a slash is an id, to be the same with other scopes. */
const as = (scopes: readonly string[], route: string, body?: unknown): Promise<Reply> =>
  server.call(route, { headers: { authorization: `Bearer ${scopes.join()}` }, ...(body === undefined ? {} : { body }) })
const admin = (route: string, body?: unknown) => as(["admin"], route, body)

beforeAll(async () => {
  const findKey = async (key: string) => {
    const [scopes = "", id = key] = key.split("/")
    return { id, name: id, scopes: scopes.split(",") }
  }
  server = await createTestServer({ auth: "required", findKey, metricsOnRest: true })
  await server.engine.upload(workflow("flow", [service("flow", "end"), end()]))
  await server.engine.upload(workflow("tick", [service("tick", "end"), end()]))
  await server.engine.upload(workflow("ask", [step("USER_TASK", "ask", { nextStep: "end", form: FORM }), end()]))
})
afterAll(() => server.close())

const names = [...loadContract().operations.keys()]
const isRead = (name: string) => name.startsWith("GET ")

/** Something that has died: an instance at its step, or a job that stands alone. */
async function died(kind: Kind): Promise<{ letter: string; owner: string }> {
  const type = kind === "instance" ? "flow" : "mail"
  const owner =
    kind === "instance" ? await started("flow") : (await admin("POST /jobs", { type, payload: secretOf(kind) })).body.id
  const { jobs } = (await admin("POST /v1/jobs/poll", { workerId: "w", jobTypes: [type], waitSeconds: 30 })).body
  const report = { workerId: "w", leaseToken: jobs[0].leaseToken, errorMessage: "no", retryable: false }
  expect((await admin(`POST /v1/jobs/${jobs[0].id}/fail`, report)).status).toBe(204)
  const { items } = (await admin(`GET /queues/dlq?type=${type}&limit=1`)).body
  return { letter: items[0].id, owner }
}

async function asked(): Promise<string> {
  const id = await started("ask")
  const { items } = (await admin("GET /v1/user-tasks?pageSize=200")).body
  return items.find(({ instanceId }: { instanceId: string }) => instanceId === id).id
}

const otherThan = (kind: Kind): Kind => (kind === "job" ? "instance" : "job")
const targetOf = (kind: Kind) => (kind === "instance" ? { definitionId: "tick" } : { jobType: "tick" })

async function scheduled(kind: Kind): Promise<string> {
  const id = `s${++made}`
  const body = { id, cron: "0 0 1 1 *", ...targetOf(kind), input: secretOf(kind) }
  expect((await admin("POST /v1/schedules", body)).status).toBe(201)
  return id
}

interface Try {
  readonly call: string
  readonly body?: object
  /** That it has changed nothing. */
  readonly unchanged: () => Promise<void>
}

/** A request for each route that reaches further, and how to see that nothing came of it. */
const TRIES: Readonly<Record<string, (kind: Kind) => Promise<Try>>> = {
  "POST /v1/schedules": async (kind) => {
    const id = `s${++made}`
    const body = { id, cron: "0 0 1 1 *", ...targetOf(kind), input: secretOf(kind) }
    const unchanged = async () => expect((await admin(`GET /v1/schedules/${id}`)).status).toBe(404)
    return { call: "POST /v1/schedules", body, unchanged }
  },
  "PUT /v1/schedules/{scheduleId}": async (kind) => {
    const id = await scheduled(kind)
    const body = { cron: "1 1 1 1 *", ...targetOf(kind), input: secretOf(kind) }
    return { call: `PUT /v1/schedules/${id}`, body, unchanged: () => sameCron(id) }
  },
  "PATCH /v1/schedules/{scheduleId}": async (kind) => {
    const id = await scheduled(kind)
    return { call: `PATCH /v1/schedules/${id}`, body: { cron: "1 1 1 1 *" }, unchanged: () => sameCron(id) }
  },
  "POST /v1/schedules/{scheduleId}/run": async (kind) => {
    const id = await scheduled(kind)
    const unchanged = async () => expect((await admin(`GET /v1/schedules/${id}/runs`)).body.items).toEqual([])
    return { call: `POST /v1/schedules/${id}/run`, unchanged }
  },
  "POST /queues/dlq/{deadLetterId}/replay": (kind) => letterTry(kind, (id) => `POST /queues/dlq/${id}/replay`),
  "DELETE /queues/dlq/{deadLetterId}": (kind) => letterTry(kind, (id) => `DELETE /queues/dlq/${id}`),
}

async function sameCron(id: string): Promise<void> {
  expect((await admin(`GET /v1/schedules/${id}`)).body.cron).toBe("0 0 1 1 *")
}

async function letterTry(kind: Kind, callOf: (id: string) => string): Promise<Try> {
  const { letter } = await died(kind)
  const unchanged = async () => expect((await admin(`GET /queues/dlq/${letter}`)).status).toBe(200)
  return { call: callOf(letter), unchanged }
}

/** Each scope by itself, and beside the one of the route. */
const keysFor = (scope: string): readonly (readonly string[])[] =>
  SCOPES.flatMap((one) => (one === scope ? [[one]] : [[one], [scope, one]]))

/** The strongest key that lacks it. */
const everythingBut = (scope: string): readonly string[] => SCOPES.filter((one) => one !== scope && one !== "admin")

const mayCall = (scopes: readonly string[], needs: readonly string[]): boolean =>
  scopes.includes("admin") || needs.every((need) => scopes.includes(need))

describe("S23 SEC-26: the table", () => {
  test("SEC-26: has every route of the contract", () => {
    expect(names.filter((name) => !(name in ACCESS))).toEqual([])
  })

  test("SEC-26: has a request for every route that reaches further", () => {
    const further = Object.keys(ACCESS).filter((name) => ACCESS[name]!.reaches)
    expect(Object.keys(TRIES).sort()).toEqual(further.sort())
  })
})

describe("S23 SEC-27: what is behind the object of a route is judged, too", () => {
  const cells = Object.keys(TRIES).flatMap((name) => KINDS.map((kind) => [name, kind] as const))

  test.each(cells)("S23: %s that reaches an %s", async (name, kind) => {
    const { scope, reaches, shows } = ACCESS[name]!
    const needs = [scope, reaches![kind]]
    const refused = await TRIES[name]!(kind)
    for (const scopes of keysFor(scope)) {
      const isAllowed = mayCall(scopes, needs)
      const { call, body } = isAllowed ? await TRIES[name]!(kind) : refused
      const reply = await as(scopes, call, body)
      const told = `${scopes}: ${reply.text}`
      if (isAllowed) expect([200, 201, 202, 204], told).toContain(reply.status)
      else expect([reply.status, reply.body.error], told).toEqual([403, "forbidden"])
      if (!mayCall(scopes, [shows?.[kind] ?? "admin"])) expect(reply.text, told).not.toContain(SECRET[kind])
    }
    await refused.unchanged()
    const both = await TRIES[name]!(kind)
    expect([200, 201, 202, 204]).toContain((await as(needs, both.call, both.body)).status)
  })

  test("S23: a schedule may be stopped and removed by a key that may not start what it starts", async () => {
    for (const kind of KINDS) {
      const id = await scheduled(kind)
      const stopped = await as(["queues:write"], `PATCH /v1/schedules/${id}`, { enabled: false })
      expect([stopped.status, stopped.body.enabled, stopped.body.input]).toEqual([200, false, undefined])
      expect((await as(["queues:write"], `PATCH /v1/schedules/${id}`, { enabled: true })).status).toBe(403)
      expect((await as(["queues:write"], `DELETE /v1/schedules/${id}`)).status).toBe(204)
    }
  })

  const retargetings = KINDS.flatMap((from) => KINDS.map((to) => [from, to] as const))
  const another = (kind: Kind) => (kind === "instance" ? { definitionId: "flow" } : { jobType: "mine" })

  test.each(retargetings)(
    "S23: the input for an %s goes to another %s by a key that has it already",
    async (from, to) => {
      const needs = ["queues:write", TARGETS[to], TARGETS[from], READS[from]]
      for (const missing of [TARGETS[from], READS[from]]) {
        const id = await scheduled(from)
        const scopes = everythingBut(missing)
        const reply = await as(scopes, `PATCH /v1/schedules/${id}`, another(to))
        expect([reply.status, reply.body.error], `${missing}: ${reply.text}`).toEqual([403, "forbidden"])
        const { body } = await admin(`GET /v1/schedules/${id}`)
        expect(body).toMatchObject({ ...targetOf(from), input: secretOf(from) })
      }
      const { status, text } = await as(needs, `PATCH /v1/schedules/${await scheduled(from)}`, another(to))
      expect(status, text).toBe(200)
    },
  )

  test("S23: a schedule gets another target with a new input, or in whole, by a key for both", async () => {
    const scopes = ["queues:write", "jobs:write", "jobs:read", "instances:write"]
    const patched = `PATCH /v1/schedules/${await scheduled("instance")}`
    const reply = await as(scopes, patched, { jobType: "mine", input: { n: 1 } })
    expect([reply.status, reply.body.input]).toEqual([200, { n: 1 }])
    const replaced = `PUT /v1/schedules/${await scheduled("instance")}`
    expect((await as(scopes, replaced, { cron: "0 0 1 1 *", jobType: "mine" })).body.input).toEqual({})
    // Its next run may cancel what the last one has started.
    const forJobs = scopes.slice(0, 3)
    const kept = `/v1/schedules/${await scheduled("instance")}`
    expect((await as(forJobs, `PATCH ${kept}`, { jobType: "mine", input: {} })).status).toBe(403)
    expect((await as(forJobs, `PUT ${kept}`, { cron: "0 0 1 1 *", jobType: "mine" })).status).toBe(403)
  })

  test("S23: a job is cancelled by a key that may not read it, without being shown", async () => {
    const { body } = await admin("POST /jobs", { type: "shy", payload: { secret: SECRET.job } })
    const reply = await as(["jobs:write"], `POST /jobs/${body.id}/cancel`, {})
    expect([reply.status, reply.body.status, reply.body.payload]).toEqual([200, "CANCELLED", {}])
    expect(reply.text).not.toContain(SECRET.job)
    expect((await as(["jobs:write", "jobs:read"], `POST /jobs/${body.id}/cancel`, {})).body.payload).toEqual({
      secret: SECRET.job,
    })
  })

  test("S23: to name the target that it has is no other target", async () => {
    for (const kind of KINDS) {
      const call = `PATCH /v1/schedules/${await scheduled(kind)}`
      const { status, body } = await as(["queues:write", TARGETS[kind]], call, targetOf(kind))
      expect([status, body.input]).toEqual([200, undefined])
    }
  })

  test.each(["replay", "discard"])(
    "S23: to %s many takes those that one may change, and shows what one may read",
    async (verb) => {
      await server.engine.kernel.db.script("delete from millrace.dead_letters")
      for (const kind of KINDS) await died(kind)
      const dry = { filter: { before: "2999-01-01T00:00:00Z" }, dryRun: true }
      const preview = async (...scopes: string[]) => (await as(scopes, `POST /queues/dlq/${verb}`, dry)).body
      const sourcesOf = ({ examples }: { examples: { source: string }[] }) =>
        examples.map(({ source }) => source).sort()
      expect(await preview("jobs:write")).toMatchObject({ matched: 1 })
      expect(await preview("jobs:write")).not.toHaveProperty("examples")
      expect(sourcesOf(await preview("jobs:write", "jobs:read"))).toEqual(["job"])
      expect(await preview("jobs:write", "instances:write")).toMatchObject({ matched: 2 })
      expect(sourcesOf(await preview("jobs:write", "instances:write", "jobs:read"))).toEqual(["job", "step"])
      const { id } = (await as(["jobs:write"], `POST /queues/dlq/${verb}`, { ...dry, dryRun: false })).body
      await expect.poll(async () => (await admin(`GET /v1/bulk/${id}`)).body).toMatchObject({ done: 1, finished: true })
      expect((await admin("GET /queues/dlq")).body.items).toMatchObject([{ source: "step" }])
    },
  )
})

describe("S23 SEC-31: no answer tells what the scopes do not cover", () => {
  /** Ids to ask for by every name of a hole, also those of other kinds of things. */
  let ids: Readonly<Record<string, readonly string[]>>

  beforeAll(async () => {
    const [instance, job] = [await died("instance"), await died("job")]
    const key = { headers: { authorization: "Bearer admin", "idempotency-key": "taken" } }
    await server.call("POST /v1/intake/flow", { ...key, body: secretOf("instance") })
    await started("tick")
    const task = await asked()
    const live = (await admin("POST /jobs", { type: "later", payload: secretOf("job"), delay: "PT1H" })).body.id
    const waiting = (await admin(`GET /v1/user-tasks/${task}`)).body.instanceId
    const all = [instance.owner, waiting, job.owner, live, instance.letter, job.letter, task, `${instance.owner}-0001`]
    const schedules = [await scheduled("instance"), await scheduled("job")]
    ids = {
      instanceId: all,
      jobId: all,
      deadLetterId: all,
      userTaskId: all,
      bulkId: all,
      scheduleId: [...schedules, ...all],
      definitionId: ["flow"],
      key: ["taken"],
    }
  })

  const callsOf = (name: string): readonly string[] => {
    const holes = [...name.matchAll(/\{(\w+)\}/g)].map(([, hole]) => hole!)
    const filled = (at: number) =>
      holes.reduce(
        (call, hole) => call.replace(`{${hole}}`, ids[hole]?.[at % ids[hole]!.length] ?? pathFor(`{${hole}}`)),
        name,
      )
    const most = Math.max(1, ...holes.map((hole) => ids[hole]?.length ?? 1))
    return Array.from({ length: most }, (_, at) => filled(at))
  }

  test.each(names.filter(isRead))("S23: %s", async (name) => {
    const { shows = {} } = ACCESS[name]!
    const seen = new Set<Kind>()
    for (const scopes of keysFor(ACCESS[name]!.scope))
      for (const call of callsOf(name)) {
        const { text } = await as(scopes, call)
        for (const kind of KINDS.filter((one) => text.includes(SECRET[one]))) {
          expect(
            shows[kind] !== undefined && mayCall(scopes, [ACCESS[name]!.scope, shows[kind]]),
            `${scopes}: ${call} ${text}`,
          ).toBe(true)
          seen.add(kind)
        }
      }
    expect([...seen].sort()).toEqual(Object.keys(shows).sort())
  })

  /** Changes of something that has a secret, none of which is in the request. */
  const CHANGES: Readonly<Record<string, (kind: Kind) => Promise<readonly [call: string, body?: object]>>> = {
    "POST /v1/user-tasks/{userTaskId}/claim": async () => [
      `POST /v1/user-tasks/${await asked()}/claim`,
      { assignee: "ann" },
    ],
    "POST /v1/user-tasks/{userTaskId}/unclaim": async () => {
      const task = await asked()
      await admin(`POST /v1/user-tasks/${task}/claim`, { assignee: "ann" })
      return [`POST /v1/user-tasks/${task}/unclaim`, { assignee: "ann" }]
    },
    "POST /v1/user-tasks/{userTaskId}/delegate": async () => [
      `POST /v1/user-tasks/${await asked()}/delegate`,
      { assignee: "ben" },
    ],
    "POST /v1/user-tasks/{userTaskId}/due": async () => [
      `POST /v1/user-tasks/${await asked()}/due`,
      { dueAt: "2030-01-01T08:00:00.000Z" },
    ],
    "POST /v1/instances/{instanceId}/user-tasks/{stepId}/complete": async () => {
      const { instanceId } = (await admin(`GET /v1/user-tasks/${await asked()}`)).body
      return [`POST /v1/instances/${instanceId}/user-tasks/ask/complete`, { completedBy: "ann" }]
    },
    "PATCH /v1/schedules/{scheduleId}": async (kind) => [
      `PATCH /v1/schedules/${await scheduled(kind)}`,
      targetOf(otherThan(kind)),
    ],
    "PUT /v1/schedules/{scheduleId}": async (kind) => [
      `PUT /v1/schedules/${await scheduled(kind)}`,
      { cron: "0 0 1 1 *", ...targetOf(otherThan(kind)) },
    ],
    "POST /v1/schedules/{scheduleId}/run": async (kind) => [`POST /v1/schedules/${await scheduled(kind)}/run`],
    "POST /queues/dlq/{deadLetterId}/replay": async (kind) => [`POST /queues/dlq/${(await died(kind)).letter}/replay`],
  }

  const changes = Object.keys(CHANGES).flatMap((name) => KINDS.map((kind) => [name, kind] as const))

  test.each(changes)("S23: %s of something with the secret of an %s", async (name, kind) => {
    const { scope, shows = {} } = ACCESS[name]!
    const strong = SCOPES.filter((one) => one !== "admin").map(everythingBut)
    for (const scopes of [[scope], ...strong]) {
      const [call, body] = await CHANGES[name]!(kind)
      const { text } = await as(scopes, call, body)
      const isShown = shows[kind] !== undefined && mayCall(scopes, [shows[kind]])
      if (!isShown) expect(text, `${scopes}: ${call}`).not.toContain(SECRET[kind])
    }
  })

  test("S23: a task is claimed without being read, also in a repeat of one that was", async () => {
    const task = await asked()
    const claim = async (...scopes: string[]) => {
      const headers = { authorization: `Bearer ${scopes.join()}/ann`, "idempotency-key": "claim" }
      return server.call(`POST /v1/user-tasks/${task}/claim`, { headers, body: { assignee: "ann" } })
    }
    const seen = { variables: secretOf("instance"), form: FORM }
    const blind = { variables: {}, form: undefined }
    const toldTo = async (...scopes: string[]) => {
      const { id, assignee, variables, form } = (await claim(...scopes)).body
      expect([id, assignee]).toEqual([task, "ann"])
      return { variables, form }
    }
    expect(await toldTo("tasks:write")).toEqual(blind)
    expect(await toldTo("tasks:write", "tasks:read")).toEqual(seen)
    expect(await toldTo("tasks:write")).toEqual(blind)
    expect((await claim("tasks:write")).headers.get("idempotent-replayed")).toBe("true")
  })
})
