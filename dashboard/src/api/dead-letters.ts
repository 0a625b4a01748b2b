// Dead letters: jobs that were given up, alone or by their error, and what can be done to one or to many.
import type { Bulk } from "./bulk.ts"
import { get, post, remove } from "./http.ts"
import { queryClient } from "./query-client.ts"

export interface DeadLetter {
  readonly id: string
  readonly source: "job" | "step"
  readonly job_id: string
  readonly type: string
  readonly priority: string
  readonly reason: "exhausted" | "not-retryable" | "worker-lost"
  readonly error: string
  readonly fingerprint: string
  readonly attempts: number
  readonly retry_count: number
  readonly dead_at: string
  /** These three of a workflow step. */
  readonly instance_id?: string
  readonly definition_id?: string
  readonly step_id?: string
  /** In a list only where it is not large. */
  readonly payload?: unknown
}

export interface DeadAttempt {
  readonly attempt: number
  readonly outcome: string
  readonly error?: string
  readonly worker_id?: string
  readonly ended_at: string
}

export interface DeadLetterDetail extends DeadLetter {
  readonly history: readonly DeadAttempt[]
}

/** Joined by "and". */
export interface DeadLetterFilter {
  readonly type?: string
  readonly priority?: string
  readonly definition_id?: string
  /** Fingerprint. */
  readonly error?: string
  readonly since?: string
  readonly before?: string
}

interface DeadLetterPage {
  readonly items: readonly DeadLetter[]
  readonly next_cursor?: string
}

const PAGE_SIZE = 50
export const DEAD_LETTERS = ["dead-letters"]

/** Newest first. */
export const deadLettersQuery = (filter: DeadLetterFilter, cursor?: string) => ({
  queryKey: [...DEAD_LETTERS, "list", filter, cursor],
  queryFn: () => get<DeadLetterPage>("/queues/dlq", { ...filter, cursor, limit: PAGE_SIZE }),
})

export interface DeadGroup {
  readonly fingerprint: string
  /** Of the newest of them. */
  readonly error: string
  readonly count: number
  readonly count_is_exact: boolean
  readonly first_at: string
  readonly last_at: string
}

interface DeadGroups {
  readonly items: readonly DeadGroup[]
  /** False where errors of older entries may be missing. */
  readonly is_complete: boolean
}

/** The most frequent first. */
export const deadGroupsQuery = (range: Pick<DeadLetterFilter, "since" | "before"> = {}) => ({
  queryKey: [...DEAD_LETTERS, "groups", range],
  queryFn: () => get<DeadGroups>("/queues/dlq/groups", range),
})

const NEWEST = 200

/** What the newest dead letters of steps died of, each once: the groups do not tell steps from standalone jobs. */
export const stepFailuresQuery = (definitionId: string | undefined) => ({
  queryKey: [...DEAD_LETTERS, "step-failures", definitionId],
  queryFn: async () => {
    const query = { definition_id: definitionId, limit: NEWEST }
    const { items } = await get<DeadLetterPage>("/queues/dlq", query)
    return firstOfEach(items.filter(({ source }) => source === "step"))
  },
})

const firstOfEach = (letters: readonly DeadLetter[]): readonly DeadLetter[] =>
  letters.filter(({ fingerprint }, index) => letters.findIndex((one) => one.fingerprint === fingerprint) === index)

const at = (id: string): string => `/queues/dlq/${encodeURIComponent(id)}`

/** By its own id, or by that of its standalone job. Until it is there, what a list knows of it. */
export const deadLetterQuery = (id: string) => ({
  queryKey: ["dead-letter", id],
  queryFn: () => get<DeadLetterDetail>(at(id)),
  placeholderData: (): DeadLetterDetail | undefined => {
    const pages = queryClient.getQueriesData<DeadLetterPage>({ queryKey: [...DEAD_LETTERS, "list"] })
    const listed = pages.flatMap(([, page]) => page?.items ?? []).find((letter) => letter.id === id)
    return listed && { ...listed, history: [] }
  },
})

/** The job that takes its place; none where the instance failed again before there was one. */
export const replayDeadLetter = (id: string): Promise<{ readonly job_id?: string }> => post(`${at(id)}/replay`)

export const discardDeadLetter = (id: string): Promise<void> => remove(at(id))

export interface DeadLetterBulkRequest {
  readonly action: "replay" | "discard"
  readonly filter: DeadLetterFilter
  readonly dryRun: boolean
}

/** A dry run counts them. */
export const startDeadLetterBulk = ({ action, ...request }: DeadLetterBulkRequest): Promise<Bulk> =>
  post(`/queues/dlq/${action}`, request)
