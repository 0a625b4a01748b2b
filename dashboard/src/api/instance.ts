// What is known of one instance beyond itself: its history, what it waits for; and the signal that wakes it.
import type { wire } from "@millrace/sdk"
import { definitionQuery } from "./definitions.ts"
import { get, post } from "./http.ts"
import { instanceQuery } from "./instances.ts"
import { queryClient, refreshLive } from "./query-client.ts"

export type Variables = wire.Variables
export type Attempt = wire.StepAttempt
export type StepExecution = wire.StepExecution
export type WaitingReason = wire.WaitingReason

const at = (id: string): string => `/v1/instances/${encodeURIComponent(id)}`

/** Oldest first. */
export const historyQuery = (id: string) => ({
  queryKey: ["instance", id, "history"],
  queryFn: async () => (await get<"getInstanceHistory">(`${at(id)}/history`)).items,
})

export const waitingQuery = (id: string) => ({
  queryKey: ["instance", id, "waiting"],
  queryFn: async () => (await get<"getInstanceWaiting">(`${at(id)}/waiting`)).reasons,
})

/** Everything that its page shows first, asked for while the page is still being put together. What is refused is asked again there. */
export async function readInstanceEarly(id: string): Promise<void> {
  void queryClient.prefetchQuery(historyQuery(id))
  void queryClient.prefetchQuery(waitingQuery(id))
  const instance = await queryClient.fetchQuery(instanceQuery(id)).catch(() => undefined)
  if (instance) await queryClient.prefetchQuery(definitionQuery(instance.definitionId, instance.definitionVersion))
}

export const signalInstance = (id: string, name: string, variables: Variables) =>
  post<"signalInstance">(`${at(id)}/signals/${encodeURIComponent(name)}`, variables)

/** After something was done to it: what is shown of it, and of others beside it, is read again. */
export const instanceChanged = (id: string): Promise<unknown> =>
  Promise.all([queryClient.invalidateQueries({ queryKey: ["instance", id] }), refreshLive()])
