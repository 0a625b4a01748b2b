// A worker that greets: uploads a workflow of one task, starts it, and runs the task.
import { setTimeout as pause } from "node:timers/promises"
import { EngineClient, Runner, workflow } from "@millrace/sdk"

const client = new EngineClient({ url: process.env.MILLRACE_URL ?? "http://127.0.0.1:8080" })
await client.uploadDefinition(workflow("greeting").serviceTask("greet", { jobType: "greet" }).build())

const runner = new Runner({
  client,
  workerId: "first-worker",
  handlers: { greet: async ({ variables }) => ({ greeting: `Hello, ${variables.name}!` }) },
}).start()

let instance = await client.startInstance({ definitionId: "greeting", variables: { name: "Ada" } })
while (instance.status === "ACTIVE") {
  await pause(50)
  instance = await client.getInstance(instance.id)
}
console.log(instance.status, (instance.variables as { greeting?: string }).greeting)
await runner.stop()
client.close()
