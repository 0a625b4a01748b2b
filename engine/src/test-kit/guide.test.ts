// The snippets of docs/guides/testing.md, as they stand there.
import { readFileSync } from "node:fs"
import { afterAll, expect, test } from "vitest"
import { RetryableError, type Step, sleep, waitForSignal, workflow } from "../index.ts"
import { createTestDatabase } from "../test-support/test-engine.ts"
import { crashSweep, testEngine } from "./index.ts"

const created = await createTestDatabase({ empty: true })
process.env.DATABASE_URL = created.dsn
afterAll(() => {
  // Files of one worker share their environment.
  Reflect.deleteProperty(process.env, "DATABASE_URL")
  return created.drop()
})

const bank = {
  charge: async (_amount: number, _key: string): Promise<string> => expect.fail("a test has called the bank"),
}

interface Order {
  email: string
  amount: number
}

async function charge({ input, key }: Step<Order>) {
  return { receipt: await bank.charge(input.amount, key) }
}

async function thank({ context }: Step<Order, { receipt: string }>) {
  return { letter: `thank you for ${context.receipt}` }
}

const checkout = workflow("checkout", {
  recover: "resume",
  steps: [charge, waitForSignal("delivered"), sleep("PT24H"), thank],
})

const t = await testEngine()
afterAll(() => t.close())

test("a letter goes out a day after the delivery", async () => {
  const stubbed = t.stub(checkout, { charge: async () => ({ receipt: "r-1" }) })
  const { id, status } = await t.run(stubbed, { email: "ada@example.test", amount: 42 })
  expect(status).toBe("WAITING")

  await t.mill.runs.handle(id).signal("delivered")
  await t.advance("PT24H")
  expect(await t.mill.runs.get(id)).toMatchObject({ status: "COMPLETED", variables: { letter: "thank you for r-1" } })
})

test("a bank that is busy is asked again, at most an hour later", async () => {
  let asked = 0
  const busy = t.stub(checkout, {
    charge: () => {
      asked += 1
      if (asked < 3) throw new RetryableError("busy", { baseDelay: "PT10M" })
      return { receipt: "r-2" }
    },
  })
  const { id } = await t.run(busy, { email: "ada@example.test", amount: 42 })
  await t.advance("PT1H")
  expect([asked, await t.mill.runs.handle(id).status()]).toEqual([3, "WAITING"])
})

test("wherever the process dies, the order is charged once", async () => {
  const charged = new Map<string, number>()
  const { points } = await crashSweep(
    checkout,
    { email: "ada@example.test", amount: 42 },
    {
      stubs: {
        charge: ({ input, key }) => {
          charged.set(key, input.amount) // as a bank does that knows its idempotency keys
          return { receipt: key }
        },
      },
      signals: { delivered: {} },
    },
  )
  expect(points.map(({ point }) => point)).toContain("after the record of charge")
  expect(charged.size).toBe(points.length + 2) // one for each run
})

test("the guide shows this file, but for where it imports from", () => {
  const [here, guide] = [import.meta.url, "../../../docs/guides/testing.md"].map((path) =>
    readFileSync(new URL(path, import.meta.url), "utf8"),
  ) as [string, string]
  const blocks = [...guide.matchAll(/```ts\n([\s\S]*?)```/g)].map(([, text = ""]) => text)
  expect(blocks).toHaveLength(4)
  for (const block of blocks) expect(here).toContain(block.replace(/^import .*\n/gm, "").trim())
  const imported = (text: string) => [...text.matchAll(/^import (\{.*\}) from/gm)].map(([, names]) => names)
  expect(imported(here)).toEqual(expect.arrayContaining(imported(blocks[0] ?? "")))
})
