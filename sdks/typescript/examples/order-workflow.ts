// An order: a decision, two tasks at the same time, retries, and a failure that no retry can mend.
import { setTimeout as pause } from "node:timers/promises"
import { defineHandlers, EngineClient, NonRetryableError, Runner, workflow } from "@millrace/sdk"

interface Jobs {
  "charge-card": { input: { amount: number }; output: { receipt: string } }
  "reserve-stock": { input: object; output: { reserved: boolean } }
}

const handlers = defineHandlers<Jobs>({
  "charge-card": async ({ variables, idempotencyKey }) => {
    if (variables.amount > 10_000) throw new NonRetryableError("the card's limit is 10,000")
    // The bank sees the same key however often this runs.
    return { receipt: `R-${idempotencyKey.slice(-4)}` }
  },
  "reserve-stock": async ({ attempt }) => {
    if (attempt === 1) throw new Error("the warehouse does not answer")
    return { reserved: true }
  },
})

const order = workflow("order", { name: "Order" })
  .decision("size", { "amount == 0": "free", true: "fulfil" })
  .parallel("fulfil", { parallelNextSteps: ["charge", "reserve"], joinStep: "fulfilled" })
  .serviceTask("charge", { jobType: "charge-card", retryCount: 3, nextStep: "fulfilled" })
  .serviceTask("reserve", {
    jobType: "reserve-stock",
    retry: { retries: 3, base: "PT0.1S" },
    nextStep: "fulfilled",
  })
  .join("fulfilled", { nextStep: "done" })
  .transformation("free", { transformations: { receipt: "none needed" }, nextStep: "done" })
  .end("done")

const client = new EngineClient({ url: process.env.MILLRACE_URL ?? "http://127.0.0.1:8080" })
await client.uploadDefinition(order.build())
const runner = new Runner({ client, handlers, workerId: "orders-1" }).start()

for (const amount of [0, 42, 99_999]) {
  const { id } = await client.startInstance({ definitionId: "order", variables: { amount } })
  const { status, variables, failureReason } = await ended(id)
  console.log(amount, status, variables.receipt ?? failureReason)
}
await runner.stop()
client.close()

async function ended(id: string) {
  for (;;) {
    const instance = await client.getInstance<{ receipt?: string }>(id)
    if (instance.status !== "ACTIVE") return instance
    await pause(50)
  }
}
