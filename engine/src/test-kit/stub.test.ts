// Stubs: the same workflow, other functions, and a compiler that knows what fits.
import { afterAll, beforeAll, describe, expect, test } from "vitest"
import { z } from "zod"
import { bestEffort, type Step, step, workflow } from "../index.ts"
import { createTestDatabase } from "../test-support/test-engine.ts"
import { type TestEngine, testEngine } from "./index.ts"
import { stub } from "./stub.ts"

const Order = z.object({ email: z.string(), amount: z.number() })
type Order = z.infer<typeof Order>

const outside = (): never => {
  throw new Error("the outside world was called")
}
async function createAccount({ input }: Step<Order>): Promise<{ account: string }> {
  return outside() ?? { account: input.email }
}
async function chargeCard(_: Step<Order, { account: string }>): Promise<{ chargeId: string }> {
  return outside()
}
const sendMail = step("mail", ({ context }: Step<Order, { chargeId: string }>): void => outside() ?? void context)

const checkout = workflow("checkout", { input: Order, steps: [createAccount, chargeCard, bestEffort(sendMail)] })
const buying = workflow("buying", async (run, { amount }: { amount: number }) => {
  const chargeId: string = await run.step("charge", outside, { key: "1" })
  return { chargeId, amount }
})

let t: TestEngine
let drop: () => Promise<void>
beforeAll(async () => {
  const created = await createTestDatabase({ empty: true })
  drop = created.drop
  t = await testEngine({ database: created.dsn })
})
afterAll(async () => {
  await t.close()
  await drop()
})

describe("a stub", () => {
  test("A-20: stands in for the step of its name, with the same argument", async () => {
    const seen: unknown[] = []
    const stubbed = t.stub(checkout, {
      createAccount: ({ input }) => ({ account: `account of ${input.email}` }),
      chargeCard: async ({ context, key }) => {
        seen.push(context.account, key.split("/")[1])
        return { chargeId: "x" }
      },
      mail: () => {},
    })
    const run = await t.run(stubbed, { email: "a@b", amount: 1 })
    expect(run).toMatchObject({ status: "COMPLETED", variables: { chargeId: "x" } })
    expect(seen).toEqual(["account of a@b", "chargeCard"])
  })

  test("of the function form stands in for every call of that name", async () => {
    const run = await t.run(t.stub(buying, { charge: ({ key }) => key.split("/").slice(1).join("/") }), { amount: 2 })
    expect(run.variables.result).toEqual({ chargeId: "charge/1", amount: 2 })
  })

  test("leaves everything else as it was: name, input, options, definition", async () => {
    const stubbed = stub(checkout, { mail: () => {} })
    expect(stubbed.toDefinition()).toEqual(checkout.toDefinition())
    expect(stubbed.elements[0]).toBe(checkout.elements[0])
    expect(stubbed).toMatchObject({ name: "checkout", input: Order, recover: "restart", claim: "lease" })
    expect(checkout.elements[2]).toMatchObject({ name: "mail", bestEffort: true })
  })

  test("of a step that is not there is refused, with the names that are", () => {
    expect(() => stub(checkout, { chargCard: () => ({ chargeId: "x" }) })).toThrow(
      "workflow checkout has no step `chargCard`: its steps are createAccount, chargeCard, mail; did you mean `chargeCard`?",
    )
    expect(() => stub(checkout, { mail: undefined as never })).toThrow("the stub of `mail` must be a function")
  })
})

test("the compiler holds a stub to what the steps take and return", () => {
  const check = () => {
    // @ts-expect-error No step returns that.
    stub(checkout, { chargeCard: async () => ({ chargId: "x" }) })
    // @ts-expect-error A charge id is a text.
    stub(checkout, { chargeCard: () => ({ chargeId: 7 }) })
    // @ts-expect-error The input has no such field.
    stub(checkout, { chargeCard: ({ input }) => ({ chargeId: input.phone }) })
    // @ts-expect-error Nobody puts that into the context.
    stub(checkout, { chargeCard: ({ context }) => ({ chargeId: context.phone }) })
    // @ts-expect-error That is what another step returns.
    stub(checkout, { chargeCard: (async () => ({ account: "x" })) satisfies typeof chargeCard })
    // As narrow as the step itself.
    stub(checkout, { chargeCard: ({ context }: Step<Order, { account: string }>) => ({ chargeId: context.account }) })
    stub(checkout, { chargeCard: (async ({ context }) => ({ chargeId: context.account })) satisfies typeof chargeCard })
  }
  expect(check).toBeTypeOf("function")
})
