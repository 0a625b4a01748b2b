// What `millrace dev` brings along: a small workflow with a decision, and a worker for it.
import { SAMPLE_DEFINITION_ID } from "./banner.ts"
import { handledAll } from "./library/handler.ts"
import { Worker } from "./library/worker.ts"
import type { Context } from "./operations/context.ts"
import { uploadDefinition } from "./operations/upload-definition.ts"
import type { JsonObject } from "./support/json.ts"

/** Greets, and asks a person first when the name is long. */
const definition: JsonObject = {
  id: SAMPLE_DEFINITION_ID,
  name: "Hello",
  description: "Greets somebody; a long name needs an approval first.",
  inputSchema: { properties: { name: { type: "string" } }, required: ["name"] },
  steps: [
    {
      id: "is-short",
      name: "Short name?",
      type: "DECISION",
      conditionalNextSteps: { "len(name) <= 20": "greet", true: "approve" },
    },
    { id: "approve", name: "Approve a long name", type: "USER_TASK", nextStep: "greet", assigneeGroup: "approvers" },
    { id: "greet", name: "Greet", type: "SERVICE_TASK", jobType: "sample.greet", retryCount: 3, nextStep: "done" },
    { id: "done", name: "Done", type: "END" },
  ],
}

const attempts = handledAll({
  "sample.greet": ({ variables }) => ({ greeting: `Hello, ${variables.name}!` }),
})

/** Returns how to stop it. */
export async function startSample(ctx: Context): Promise<() => Promise<void>> {
  await uploadDefinition(ctx, { document: definition, actor: "local" })
  const worker = new Worker(ctx, { workerId: "sample-worker", attempts }).start()
  return () => worker.stop()
}
