// An instance that waits for news from outside, and gets it by a signal.
import { EngineClient, workflow } from "@millrace/sdk"

// Without a signal within a day it ends by the timer.
const payment = workflow("payment", { name: "Payment" })
  .wait("paid", {
    nextStep: "done",
    boundaryEvents: [{ type: "TIMER", duration: "P1D", interrupting: true, targetStepId: "late" }],
  })
  .transformation("late", { transformations: { late: true }, nextStep: "done" })
  .end("done")

const client = new EngineClient({ url: process.env.MILLRACE_URL ?? "http://127.0.0.1:8080" })
await client.uploadDefinition(payment.build())

const { id } = await client.startInstance({ definitionId: "payment" })
console.log("waits at", (await client.getInstance(id)).currentStepIds)
await client.signal(id, "paid", { receipt: "R-1" })
const instance = await client.getInstance(id)
console.log(instance.status, instance.variables)
client.close()
