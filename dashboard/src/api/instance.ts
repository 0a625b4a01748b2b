// What is known of one instance beyond itself: its steps, what it waits for; and the signal that wakes it.
import type { wire } from "@millrace/sdk"
import { definitionQuery } from "./definitions.ts"
import { get, post } from "./http.ts"
import { instanceQuery } from "./instances.ts"
import { queryClient, refreshLive } from "./query-client.ts"

export type Variables = wire.Variables
export type Attempt = wire.RunStepAttempt
/** A step of a list, a call of a function, or an entry into a step of a graph. */
export type StepExecution = wire.RunStep
export type RunSteps = wire.RunSteps
export type WaitingReason = wire.WaitingReason

const at = (id: string): string => `/v1/instances/${encodeURIComponent(id)}`

export const stepsQuery = (id: string) => ({
  queryKey: ["instance", id, "steps"],
  queryFn: () => get<"getInstanceSteps">(`${at(id)}/steps`),
})

export const waitingQuery = (id: string) => ({
  queryKey: ["instance", id, "waiting"],
  queryFn: async () => (await get<"getInstanceWaiting">(`${at(id)}/waiting`)).reasons,
})

/** Everything that its page shows first, asked for while the page is still being put together. What is refused is asked again there. */
export async function readInstanceEarly(id: string): Promise<void> {
  void queryClient.prefetchQuery(stepsQuery(id))
  void queryClient.prefetchQuery(waitingQuery(id))
  const instance = await queryClient.fetchQuery(instanceQuery(id)).catch(() => undefined)
  if (instance) await queryClient.prefetchQuery(definitionQuery(instance.definitionId, instance.definitionVersion))
}

export const signalInstance = (id: string, name: string, variables: Variables) =>
  post<"signalInstance">(`${at(id)}/signals/${encodeURIComponent(name)}`, variables)

/** After something was done to it: what is shown of it, and of others beside it, is read again. */
export const instanceChanged = (id: string): Promise<unknown> =>
  Promise.all([queryClient.invalidateQueries({ queryKey: ["instance", id] }), refreshLive()])
