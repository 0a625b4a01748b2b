// Work for a person: the task is found in the inbox, claimed and completed.
import { EngineClient, workflow } from "@millrace/sdk"

const approval = workflow("approval", { name: "Approval" })
  .userTask("approve", { assigneeGroup: "managers", dueIn: "P1D", nextStep: "done" })
  .end("done")

// Over gRPC the inbox is asked over REST, beside it.
const { MILLRACE_URL: url = "http://127.0.0.1:8080", MILLRACE_REST_URL: restUrl } = process.env
const client = new EngineClient({ url, restUrl })
await client.uploadDefinition(approval.build())

const { id } = await client.startInstance({ definitionId: "approval", variables: { amount: 1200 } })
for await (const task of client.userTasks({ group: "managers" })) {
  if (task.instanceId !== id) continue
  await client.claimUserTask(task.id, "ada")
  await client.completeUserTask(id, task.stepId, { completedBy: "ada", variables: { approved: true } })
}
const instance = await client.getInstance(id)
console.log(instance.status, instance.variables)
client.close()
