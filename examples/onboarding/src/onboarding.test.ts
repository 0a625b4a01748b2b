// The onboarding against the six services: all of the list for each kind of submission, and nothing twice.
import { readFileSync } from "node:fs"
import type { Mill } from "millrace"
import { afterAll, afterEach, beforeAll, expect, expectTypeOf, test } from "vitest"
import { dunning, startDunning } from "./dunning.ts"
import { onboarding } from "./onboarding.ts"
import { seeded } from "./seeded.ts"
import type { Faults } from "./services/service.ts"
import type { AllStats } from "./spike/services-process.ts"
import { planSubmissions } from "./spike/submissions.ts"
import { sumOf } from "./spike/verdict.ts"
import type { Submission } from "./submission.ts"
import { openServices, openStage } from "./test-support/open-stage.ts"

const random = seeded(7)
const closing: (() => unknown)[] = []
let stage: Awaited<ReturnType<typeof openStage>>
let mill: Mill

beforeAll(async () => {
  stage = await openStage()
  mill = stage.mill
})
afterEach(async () => {
  for (const close of closing.splice(0).reverse()) await close()
})
afterAll(() => stage.close())

async function withServices(faults?: Partial<Faults>) {
  const services = await openServices(mill, faults)
  closing.push(services.close)
  return services
}

async function withWorkers(count = 1) {
  for (let at = 0; at < count; at++) closing.push((await mill.work([onboarding, dunning], { workerId: `w${at}` })).stop)
}

/** An insured adult whose card works, of the given kind. */
function patient(mode: Submission["authenticationMode"], other: Partial<Submission> = {}): Submission {
  const plan = planSubmissions(1000, 0, random)
  const { payload } = plan.find(({ ends, payload }) => ends === "COMPLETE" && payload.authenticationMode === mode)!
  return {
    ...payload,
    insurance: { carrier: "Acme Health", memberId: "1" },
    card: { token: "tok_1" },
    ...other,
  }
}

async function onboard(input: Submission) {
  const run = await mill.start(onboarding, input)
  return run.ended()
}

const callsOf = (stats: AllStats): Record<string, number> =>
  Object.fromEntries(
    Object.values(stats).flatMap(({ perRoute }) =>
      Object.entries(perRoute).map(([route, { calls }]) => [route, calls]),
    ),
  )

test("A-01, A-21: one submission goes through 21 steps and six services, in the order of the brief", async () => {
  const { stats } = await withServices()
  await withWorkers()
  const names = onboarding.elements.map(({ name }) => name)
  expect(names).toHaveLength(21)
  expect(names.slice(0, 3)).toEqual(["validatePayload", "validateDuplicateEmail", "createOrLookUpAccount"])
  expect(await onboard(patient("net_new"))).toMatchObject({ status: "COMPLETED" })
  expect(Object.values(await stats()).every(({ calls }) => calls > 0)).toBe(true)
})

test("A-17: the list is literal, a line for each step, and the README shows it as it is", () => {
  const read = (path: string) => readFileSync(new URL(path, import.meta.url), "utf8")
  const source = read("./onboarding.ts")
  const list = source.slice(source.indexOf("export const onboarding"))
  const lines = /steps: \[\n([\s\S]*?)\n {2}\]/.exec(list)?.[1]?.split("\n") ?? []
  expect(lines.map((line) => line.trim().replace(/^bestEffort\((\w+)\)/, "$1"))).toEqual(
    onboarding.elements.map(({ name }) => `${name},`),
  )
  expect(read("../README.md")).toContain(list)
})

test("A-02, A-18, A-19, A-T8: one payload and one list for all three kinds; a step that does not apply makes no call", async () => {
  await withWorkers()
  const callsFor = async (input: Submission) => {
    const { stats } = await withServices()
    expect(await onboard(input)).toMatchObject({ status: "COMPLETED" })
    return callsOf(await stats())
  }
  const always = await callsFor(patient("net_new"))
  expect(always).toMatchObject({ "GET /accounts": 1, "POST /accounts": 1, "POST /verification-links": 1 })
  expect(always).not.toHaveProperty(["POST /guest-session"])
  expect(Object.values(always).every((calls) => calls === 1)).toBe(true)

  const existing = await callsFor(patient("existing"))
  expect(existing).toMatchObject({ "GET /accounts": 1, "POST /guest-session": 1 })
  expect(existing).not.toHaveProperty(["POST /accounts"])
  expect(existing).not.toHaveProperty(["POST /verification-links"])

  const { insurance: _, ...uninsured } = patient("existing")
  const calls = await callsFor(uninsured)
  expect(calls).not.toHaveProperty(["POST /policies"])
  expect(calls).not.toHaveProperty(["POST /eligibility-checks"])
})

test("A-18, A-35: an account that another flow is creating is waited for, and its event ends the wait", async () => {
  const { stats, woken } = await withServices()
  await withWorkers()
  const input = patient("recently_created")
  expect(await onboard(input)).toMatchObject({ status: "COMPLETED" })
  expect(woken).toEqual([input.email])
  expect(callsOf(await stats())).toMatchObject({ "GET /accounts": 2, "POST /enrolments": 1 })
})

test("A-22: the context is typed, and what is only sometimes there is optional", async () => {
  await withServices()
  await withWorkers()
  const run = await mill.start(onboarding, patient("net_new"))
  const context = await run.result()
  expectTypeOf(context.patientUuid).toEqualTypeOf<string>()
  expectTypeOf(context.visitUuid).toEqualTypeOf<string>()
  expectTypeOf(context.paymentCardId).toEqualTypeOf<string | undefined>()
  expect(context).toMatchObject({ patientUuid: expect.any(String), paymentCardId: expect.any(String) })
})

test("A-44: a card that is declined stops nobody; the dunning flow finds it later and asks once", async () => {
  const { stats } = await withServices()
  await withWorkers()
  const run = await onboard(patient("net_new", { card: { token: "tok_declined" } }))
  expect(run.status).toBe("COMPLETED")
  expect(run.variables).not.toHaveProperty("paymentCardId")
  expect(callsOf(await stats())).not.toHaveProperty(["POST /payments"])
  const { items } = await mill.runs.failures({ workflow: onboarding, step: "attachPaymentCard" })
  expect(items).toMatchObject([{ instanceId: run.id }])
  expect(await startDunning(mill)).toBe(1)
  expect(await startDunning(mill)).toBe(1)
  await expect.poll(async () => callsOf(await stats())["POST /card-requests"]).toBe(1)
})

test("invalid submissions are accepted by the intake and refused by the worker", async () => {
  await withServices()
  await withWorkers()
  const young = patient("net_new", { personal: { firstName: "A", lastName: "B", dateOfBirth: "2020-02-29" } })
  expect(await onboard(young)).toMatchObject({
    status: "FAILED",
    failureReason: expect.stringContaining("18 or older"),
  })
  const taken = patient("net_new", { email: "ada@existing.example" })
  expect(await onboard(taken)).toMatchObject({ failureReason: expect.stringContaining("has an account already") })
})

test("effects once: answers that are lost are asked for again with the same key, and nothing is doubled", async () => {
  const { stats } = await withServices({ lose: 0.04 })
  await withWorkers(4)
  const crowd = Array.from({ length: 20 }, () => patient("net_new"))
  const runs = await Promise.all(crowd.map(onboard))
  expect(runs.map(({ status }) => status)).toEqual(runs.map(() => "COMPLETED"))
  const counted = await stats()
  expect(sumOf(counted, "lost")).toBeGreaterThan(0)
  expect(sumOf(counted, "repeated")).toBeGreaterThan(0)
  expect(sumOf(counted, "doubled")).toBe(0)
  expect(counted.care.perRoute["POST /enrolments"]?.effects).toBe(20)
})

test("A-15, A-16: services never see more calls at once than there are workers, however many submissions wait", async () => {
  const { stats } = await withServices()
  const crowd = Array.from({ length: 40 }, () => patient("existing"))
  await Promise.all(crowd.map((input) => mill.intake(onboarding, input, { key: input.submissionId })))
  await withWorkers(3)
  await expect.poll(async () => callsOf(await stats())["POST /follow-ups"]).toBe(40)
  expect(Math.max(...Object.values(await stats()).map(({ mostAtOnce }) => mostAtOnce))).toBeLessThanOrEqual(3)
})
