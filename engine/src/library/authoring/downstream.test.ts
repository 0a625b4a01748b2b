import { afterAll, beforeAll, describe, expect, test, vi } from "vitest"
import { getDownstream } from "../../operations/flow/change-downstreams.ts"
import { type Mills, openMills } from "../../test-support/mills.ts"
import { downstream } from "./downstream.ts"
import { step } from "./elements.ts"
import { job } from "./job.ts"
import { workflow } from "./workflow.ts"

describe("a downstream", () => {
  test.each<[string, () => unknown, string]>([
    ["a name that is none", () => downstream("pay pal"), "cannot name a downstream"],
    ["a pace of nothing", () => downstream("a", { perSecond: 0 }), "perSecond"],
    ["half a place", () => downstream("a", { concurrency: 0.5 }), "concurrency"],
    ["a wish that is none", () => downstream("a", { adaptive: "yes" as unknown as boolean }), "adaptive"],
    ["a step that names none", () => step("s", () => {}, { downstream: "" }), "cannot name a downstream"],
    [
      "two in one list",
      () =>
        workflow("two", {
          steps: [step("a", () => {}, { downstream: "x" }), step("b", () => {}, { downstream: "y" })],
        }),
      "for one downstream",
    ],
  ])("%s is refused", (_, make, message) => {
    expect(make).toThrow(message)
  })

  test("is a plain value with the limits that were given", () => {
    expect(downstream("stripe", { perSecond: 25, adaptive: true })).toEqual({
      kind: "downstream",
      name: "stripe",
      perSecond: 25,
      adaptive: true,
    })
  })
})

describe("in a process", () => {
  let mills: Mills
  beforeAll(async () => {
    mills = await openMills()
  })
  afterAll(() => mills.close())

  const limitsOf = async (name: string) => {
    const { perSecond, concurrency, adaptive } = await getDownstream(mills.kernel, name)
    return { perSecond, concurrency, adaptive }
  }
  const changes = (name: string) =>
    mills.tables.script(`select actor from millrace.changes where kind = 'downstream' and name = '${name}'`)
  const queues = (downstreamName: string) =>
    mills.tables.script(`select job_type, definition_id from millrace.queues where downstream = '${downstreamName}'`)

  test("is declared when work for it begins, once, and changed by nobody who says the same", async () => {
    const stripe = downstream("stripe", { perSecond: 25, concurrency: 3, adaptive: true })
    const charge = job("charge", () => {}, { downstream: stripe })
    for (let n = 0; n < 2; n++) await mills.mill.drain([charge])
    const { mill } = await mills.another()
    await mill.drain([charge])
    expect(await limitsOf("stripe")).toEqual({ perSecond: 25, concurrency: 3, adaptive: true })
    expect(await changes("stripe")).toHaveLength(1)
  })

  test("jobs of its element go to it, unless they say otherwise", async () => {
    const mailer = downstream("mailer", { perSecond: 1_000 })
    const mail = job("mail", () => {}, { downstream: mailer })
    await mills.mill.enqueue(mail, {})
    expect(await queues("mailer")).toEqual([{ job_type: "mail", definition_id: "" }])
    expect(await limitsOf("mailer")).toMatchObject({ perSecond: 1_000 })
    await mills.mill.enqueue(mail, {}, { downstream: "other-mailer" })
    expect(await queues("other-mailer")).toHaveLength(1)
    expect(await mills.mill.drain([mail])).toMatchObject({ processed: 2 })
  })

  test("a job for one that has no limits is taken, and that is told once, with the name that may be meant", async () => {
    const warn = vi.spyOn(mills.kernel.log, "warn")
    await mills.mill.declare(downstream("crm", { perSecond: 1_000 }))
    for (let n = 0; n < 2; n++)
      for (const name of ["crm", "crn", "elsewhere"]) await mills.mill.enqueue("note", {}, { downstream: name })
    expect(warn.mock.calls).toEqual([
      [
        { downstream: "crn" },
        expect.stringMatching(/^the downstream crn is not declared, so no limits .* did you mean crm\?$/),
      ],
      [{ downstream: "elsewhere" }, expect.stringMatching(/millrace downstreams set elsewhere$/)],
    ])
    const { mill } = await mills.another()
    await mill.enqueue("note", {}, { downstream: "crm" })
    expect(warn).toHaveBeenCalledTimes(2)
    warn.mockRestore()
  })

  test("a list goes as a whole to the one that its steps name", async () => {
    const bank = downstream("bank", { perSecond: 1_000 })
    const pay = workflow("pay", {
      steps: [step("prepare", () => {}), step("transfer", () => {}, { downstream: bank })],
    })
    expect(pay.toDefinition().steps).toMatchObject([{ id: "prepare" }, { id: "transfer", downstream: "bank" }])
    const { id } = await mills.mill.start(pay, {})
    expect(await queues("bank")).toEqual([{ job_type: "pay", definition_id: "pay" }])
    await mills.mill.drain([pay])
    expect(await mills.mill.runs.get(id)).toMatchObject({ status: "COMPLETED" })
    expect(await limitsOf("bank")).toMatchObject({ perSecond: 1_000 })
  })

  test("two declarations that differ are a mistake", async () => {
    await mills.mill.declare(downstream("twice", { perSecond: 1 }))
    await expect(mills.mill.declare(downstream("twice", { perSecond: 2 }))).rejects.toThrow("declared twice")
  })
})
