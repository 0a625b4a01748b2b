// A first workflow: upload its definition, work on its jobs, start one instance and print how it ended.
import { setTimeout as sleep } from "node:timers/promises"
import { type Definition, EngineClient, Runner, TransportError } from "@millrace/sdk"

const order: Definition = {
  id: "order",
  name: "Order",
  steps: [
    { id: "reserve", name: "Reserve stock", type: "SERVICE_TASK", jobType: "reserve-stock", nextStep: "charge" },
    {
      id: "charge",
      name: "Charge card",
      type: "SERVICE_TASK",
      jobType: "charge-card",
      retryCount: 3,
      nextStep: "done",
    },
    { id: "done", name: "Done", type: "END" },
  ],
}

const url = process.env.MILLRACE_URL ?? "http://127.0.0.1:8080"
const client = new EngineClient({ url })
await client.uploadDefinition(order).catch((error) => {
  if (!(error instanceof TransportError)) throw error
  console.error(`No engine answers at ${url}. Start one with \`npm start\` in the root of the repository.`)
  process.exit(1)
})

// What a handler returns is merged into the variables of the instance, in one transaction with the next step.
const worker = new Runner({
  client,
  workerId: "first-worker",
  handlers: {
    "reserve-stock": ({ variables }) => ({ reservation: `${variables.quantity} × ${variables.sku}` }),
    // A handler may run more than once: the key is the same each time, so that the card is charged once.
    "charge-card": async ({ idempotencyKey }) => ({ receipt: `receipt for ${idempotencyKey}` }),
  },
}).start()

let instance = await client.startInstance({ definitionId: "order", variables: { sku: "lamp", quantity: 2 } })
console.log(`started ${instance.id}`)

while (instance.status === "ACTIVE" || instance.status === "WAITING") {
  await sleep(100)
  instance = await client.getInstance(instance.id)
}
console.log(instance.status, instance.variables)

await worker.stop()
client.close()
process.exitCode = instance.status === "COMPLETED" ? 0 : 1
