// Dead letters: jobs that were given up, alone or by their error, and what can be done to one or to many.
import type { wire } from "@millrace/sdk"
import type { Bulk } from "./bulk.ts"
import { atThisMoment, type DeadLetterFilter, type DeadRange } from "./filters/dead-letter-filter.ts"
import { get, post, remove } from "./http.ts"
import { queryClient } from "./query-client.ts"

export type DeadLetter = wire.DeadLetter
export type DeadLetterDetail = wire.DeadLetterDetail
export type DeadGroup = wire.DeadLetterGroup
/** The time in which the deaths of all groups are counted. */
export type DeadPeriod = wire.DeadLetterPeriod

const PAGE_SIZE = 50
export const DEAD_LETTERS = ["dead-letters"]

/** Newest first. */
export const deadLettersQuery = (filter: DeadLetterFilter, cursor?: string) => ({
  queryKey: [...DEAD_LETTERS, "list", filter, cursor],
  queryFn: () => get<"listDeadLetters">("/queues/dlq", { ...atThisMoment(filter), cursor, limit: PAGE_SIZE }),
})

/** The most frequent first. */
export const deadGroupsQuery = (range: DeadRange = {}) => ({
  queryKey: [...DEAD_LETTERS, "groups", range],
  queryFn: () => get<"groupDeadLetters">("/queues/dlq/groups", atThisMoment(range)),
})

const NEWEST = 200

/** What the newest dead letters of steps died of, each once: the groups do not tell steps from standalone jobs. */
export const stepFailuresQuery = (definitionId: string | undefined) => ({
  queryKey: [...DEAD_LETTERS, "step-failures", definitionId],
  queryFn: async () => {
    const query = { definition_id: definitionId, limit: NEWEST }
    const { items } = await get<"listDeadLetters">("/queues/dlq", query)
    return firstOfEach(items.filter(({ source }) => source === "step"))
  },
})

const firstOfEach = (letters: readonly DeadLetter[]): readonly DeadLetter[] =>
  letters.filter(({ fingerprint }, index) => letters.findIndex((one) => one.fingerprint === fingerprint) === index)

const at = (id: string): string => `/queues/dlq/${encodeURIComponent(id)}`

/** By its own id, or by that of its standalone job. Until it is there, what a list knows of it. */
export const deadLetterQuery = (id: string) => ({
  queryKey: ["dead-letter", id],
  queryFn: () => get<"getDeadLetter">(at(id)),
  placeholderData: (): DeadLetterDetail | undefined => {
    const pages = queryClient.getQueriesData<wire.DeadLetterPage>({ queryKey: [...DEAD_LETTERS, "list"] })
    const listed = pages.flatMap(([, page]) => page?.items ?? []).find((letter) => letter.id === id)
    return listed && { ...listed, history: [] }
  },
})

/** The job that takes its place; none where the instance failed again before there was one. */
export const replayDeadLetter = (id: string) => post<"replayDeadLetter">(`${at(id)}/replay`)

export const discardDeadLetter = (id: string) => remove<"discardDeadLetter">(at(id))

interface DeadLetterBulk extends wire.DeadLetterBulkRequest {
  readonly action: "replay" | "discard"
}

/** A dry run counts them. */
export const startDeadLetterBulk = ({ action, ...request }: DeadLetterBulk): Promise<Bulk> =>
  post<"replayDeadLetters" | "discardDeadLetters">(`/queues/dlq/${action}`, request)
