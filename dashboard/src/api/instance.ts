// What is known of one instance beyond itself: its history, its audit trail, what it waits for; and the signal that wakes it.
import type { wire } from "@millrace/sdk"
import { definitionQuery } from "./definitions.ts"
import { get, post } from "./http.ts"
import { instanceQuery } from "./instances.ts"
import { queryClient, refreshLive } from "./query-client.ts"

export type Variables = wire.Variables
export type Attempt = wire.StepAttempt
export type StepExecution = wire.StepExecution
export type WaitingReason = wire.WaitingReason
export type AuditLine = wire.AuditEntry

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

/** As many as the engine gives at once: where there are fewer, there are no more. */
export const AUDIT_PAGE = 1_000

export const readAudit = async (id: string, afterSeq: number): Promise<readonly AuditLine[]> =>
  (await get<"getInstanceAudit">(`${at(id)}/audit`, { afterSeq })).items

export const auditQuery = (id: string) => ({
  queryKey: ["instance", id, "audit"],
  queryFn: ({ pageParam }: { readonly pageParam: number }) => readAudit(id, pageParam),
  initialPageParam: 0,
  getNextPageParam: (page: readonly AuditLine[]) => (page.length < AUDIT_PAGE ? undefined : page.at(-1)?.seq),
})

/** Nobody reads on: a trail this long is looked through page by page. */
const MOST_PAGES = 20

/** The lines of one kind, from the whole trail. */
export const auditLinesQuery = (id: string, kind: string) => ({
  queryKey: ["instance", id, "audit-lines", kind],
  queryFn: async () => {
    const found: AuditLine[] = []
    let afterSeq = 0
    for (let page = 0; page < MOST_PAGES; page++) {
      const lines = await readAudit(id, afterSeq)
      found.push(...lines.filter((line) => line.kind === kind))
      if (lines.length < AUDIT_PAGE) break
      afterSeq = lines.at(-1)?.seq ?? afterSeq
    }
    return found as readonly AuditLine[]
  },
})

export const signalInstance = (id: string, name: string, variables: Variables) =>
  post<"signalInstance">(`${at(id)}/signals/${encodeURIComponent(name)}`, variables)

/** After something was done to it: what is shown of it, and of others beside it, is read again. */
export const instanceChanged = (id: string): Promise<unknown> =>
  Promise.all([queryClient.invalidateQueries({ queryKey: ["instance", id] }), refreshLive()])
