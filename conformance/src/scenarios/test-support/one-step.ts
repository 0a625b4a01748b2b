// A workflow of one service task, which most tests of workers need.
import type { Definition, Instance, ServiceTask, Variables } from "@millrace/sdk"
import type { RealEngine } from "./real-engine.ts"

const oneStep = (jobType: string, more: Partial<ServiceTask>): Definition => ({
  id: jobType,
  name: jobType,
  steps: [
    { id: "work", name: "work", type: "SERVICE_TASK", jobType, nextStep: "end", ...more },
    { id: "end", name: "end", type: "END" },
  ],
})

/** Uploads it and returns a way to start instances; the definition is named after its job type. */
export async function useOneStep({ client }: RealEngine, jobType: string, more: Partial<ServiceTask> = {}) {
  await client.uploadDefinition(oneStep(jobType, more))
  return (variables: Variables = {}): Promise<Instance> => client.startInstance({ definitionId: jobType, variables })
}
