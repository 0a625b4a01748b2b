// Work of every kind on one engine, with ordinary names and with names that are as long as the engine allows: for tests that
// look at every screen.
import { workFlows } from "../screens/instance/test-support/flows.ts"
import type { EngineProcess } from "./engine-process.ts"
import { failJobs } from "./fail-jobs.ts"

/** No place to break. */
export const LONG = "W".repeat(190)

const STACK = `the card was declined by the issuing bank: insufficient funds (code 51)
    at chargeCard (file:///srv/checkout/workers/dist/payment/charge-card.js:118:13)
    at async runHandler (file:///srv/checkout/node_modules/@millrace/sdk/dist/runner.js:204:20)`

/** Ids of what can be looked at one by one. */
export interface Busy {
  readonly failed: string
  readonly waiting: string
  readonly listed: string
  readonly job: string
  readonly letter: string
}

interface Names {
  readonly definition: string
  readonly name: string
  readonly jobType: string
  readonly worker: string
  readonly key: string
  readonly error: string
}

export const ORDINARY: Names = {
  definition: "order-fulfilment",
  name: "Order fulfilment with approval",
  jobType: "charge-credit-card",
  worker: "checkout-worker-7f9c6d5b8-x2vqp",
  key: "order-2026-000481",
  error: STACK,
}

export const UGLY: Names = {
  definition: `long-${LONG}`,
  name: LONG,
  jobType: LONG,
  worker: LONG,
  key: LONG,
  error: LONG.repeat(50),
}

export async function makeBusy(engine: EngineProcess, names: Names): Promise<Busy> {
  await engine.send("POST", "/v1/definitions", definitionOf(names))
  const start = async (definitionId: string) => {
    const request = {
      definitionId,
      variables: { [names.key]: names.error },
      businessKey: names.key,
      linkingId: names.key,
    }
    return (await engine.send<{ id: string }>("POST", "/v1/instances", request)).id
  }
  const failed = await start(names.definition)
  await engine.send("POST", `/v1/instances/${failed}/user-tasks/approve/complete`, {})
  await failJobs(engine, names.jobType, 1, () => names.error)
  const waiting = await start(names.definition)
  await workFlows(engine)
  const listed = await start("failed-list")
  await workFlows(engine)
  await dieOf(engine, names)
  const job = (await engine.send<{ id: string }>("POST", "/jobs", jobOf(names))).id
  await holdOne(engine, names)
  await engine.send("PUT", `/v1/downstreams/${names.jobType.slice(0, 60)}`, { perSecond: 25, concurrency: 4 })
  await engine.send("PUT", `/v1/schedules/${names.definition.slice(0, 100)}`, {
    cron: "30 2 * * *",
    timezone: "America/Argentina/ComodRivadavia",
    definitionId: names.definition,
    input: {},
  })
  await engine.send("POST", "/admin/block-agent", { user_agent: names.worker, reason: names.error.slice(0, 1_000) })
  const { items } = await engine.get<{ items: { id: string; type: string }[] }>("/queues/dlq?limit=50")
  const letter = items.find(({ type }) => type === names.jobType)?.id ?? ""
  return { failed, waiting, listed, job, letter }
}

const jobOf = ({ jobType, key }: Names) => ({ type: jobType, retries: 0, payload: { to: key } })

async function dieOf(engine: EngineProcess, names: Names): Promise<void> {
  await engine.send("POST", "/jobs", jobOf(names))
  await failJobs(engine, names.jobType, 1, () => names.error)
}

const holdOne = async (engine: EngineProcess, names: Names) => {
  await engine.send("POST", "/jobs", jobOf(names))
  const poll = { workerId: names.worker, jobTypes: [names.jobType], maxJobs: 1, leaseSeconds: 600 }
  await engine.send("POST", "/v1/jobs/poll", poll)
}

const definitionOf = ({ definition, name, jobType }: Names) => ({
  id: definition,
  name,
  description: `${name} ${name}`,
  inputSchema: { properties: { customer: { type: "string", title: name, description: name } } },
  steps: [
    {
      id: "approve",
      name,
      type: "USER_TASK",
      assigneeGroup: jobType.slice(0, 100),
      form: { properties: {} },
      nextStep: "charge",
    },
    { id: "charge", name, type: "SERVICE_TASK", jobType, retryCount: 0, nextStep: "end" },
    { id: "end", name: "End", type: "END" },
  ],
})
