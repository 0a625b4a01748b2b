// What `millrace dev` brings along: a small workflow with a decision, and a worker for it.
import { SAMPLE_DEFINITION_ID } from "./banner.ts"
import { handledAll } from "./library/authoring/handler.ts"
import { Worker } from "./library/running/worker.ts"
import { uploadDefinition } from "./operations/definitions/upload-definition.ts"
import type { Kernel } from "./operations/kernel/kernel.ts"
import type { JsonObject } from "./support/json.ts"

/** Greets, asks a person first when the name is long, and has a way to go wrong: one learns most from a failure. */
const definition: JsonObject = {
  id: SAMPLE_DEFINITION_ID,
  name: "Hello",
  description: "Greets somebody. A long name needs an approval first, and nobody cannot be greeted: try it and see.",
  inputSchema: {
    properties: {
      name: {
        type: "string",
        title: "Name",
        description: "Whom to greet. More than 20 letters ask a person first; “nobody” fails, so that you can mend it.",
      },
    },
    required: ["name"],
  },
  steps: [
    {
      id: "is-short",
      name: "Short name?",
      type: "DECISION",
      conditionalNextSteps: { "len(name) <= 20": "greet", true: "approve" },
    },
    {
      id: "approve",
      name: "Approve a long name",
      type: "USER_TASK",
      nextStep: "greet",
      assigneeGroup: "approvers",
      dueIn: "P1D",
      form: {
        properties: {
          name: { type: "string", title: "Name", description: "As it should be greeted. Left out, it stays as it is." },
        },
      },
    },
    { id: "greet", name: "Greet", type: "SERVICE_TASK", jobType: "sample.greet", retryCount: 3, nextStep: "done" },
    { id: "done", name: "Done", type: "END" },
  ],
}

const attempts = handledAll({ "sample.greet": ({ variables }) => greet(String(variables.name)) })

function greet(name: string): JsonObject {
  if (name.toLowerCase() === "nobody")
    throw new Error("there is nobody to greet: retry this step with another name in the variables")
  return { greeting: `Hello, ${name}!` }
}

/** Returns how to stop it. */
export async function startSample(kernel: Kernel): Promise<() => Promise<void>> {
  await uploadDefinition(kernel, { document: definition, actor: "local" })
  const worker = new Worker(kernel, { workerId: "sample-worker", attempts }).start()
  return () => worker.stop()
}
