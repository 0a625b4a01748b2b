// Definitions as the engine gives them: documents, versions, where their instances stand; and how one is uploaded.
import type { wire } from "@millrace/sdk"
import { get, post } from "./http.ts"

type NamesOf<Union> = Union extends unknown ? keyof Union : never
type FieldOf<Union, Name> = Union extends unknown ? (Name extends keyof Union ? Union[Name] : never) : never
type EveryField<Union> = { readonly [Name in NamesOf<Union>]?: FieldOf<Union, Name> }

/** A step with the fields of every type: a drawing asks for a field without asking for the type first. */
export type Step = EveryField<wire.Step> & Pick<wire.Step, "id" | "name" | "type">

/** A definition that is stored, or one that is about to be stored. */
export interface Definition extends Omit<wire.Definition, "steps"> {
  readonly version: number
  readonly steps: readonly Step[]
}

export type DefinitionSummary = wire.DefinitionSummary
export type DefinitionVersion = wire.DefinitionVersion
export type Activity = wire.DefinitionActivity

const at = (id: string): string => `/v1/definitions/${encodeURIComponent(id)}`

/** A version never changes: once read it is good for ever. The latest is read again. */
export const definitionQuery = (id: string, version?: number) => ({
  queryKey: ["definition", id, version ?? "latest"],
  queryFn: (): Promise<Definition> =>
    version === undefined ? get<"getDefinition">(at(id)) : get<"getDefinitionVersion">(`${at(id)}/versions/${version}`),
  ...(version === undefined ? {} : { staleTime: Number.POSITIVE_INFINITY, refetchInterval: false as const }),
})

export const PAGE_SIZE = 20

/** Pages count from 0. */
export const definitionsQuery = (keyword: string | undefined, page: number) => ({
  queryKey: ["definitions", keyword ?? "", page],
  queryFn: () => get<"listDefinitions">("/v1/definitions", { keyword, page, pageSize: PAGE_SIZE }),
})

export const versionsQuery = (id: string) => ({
  queryKey: ["definition", id, "versions"],
  queryFn: () => get<"listDefinitionVersions">(`${at(id)}/versions`),
})

export const OLDER_THAN = { duration: "PT30M", words: "30 min" } as const

/** The engine looks at thousands of instances for it: it is asked now and then, not whenever something happens. */
export const activityQuery = (id: string) => ({
  queryKey: ["definition", id, "activity"],
  queryFn: () => get<"getDefinitionActivity">(`${at(id)}/activity`, { olderThan: OLDER_THAN.duration }),
  refetchInterval: 5_000,
})

/** Whatever was typed: the engine says what is wrong with it. */
export const uploadDefinition = (document: unknown) =>
  post<"uploadDefinition">("/v1/definitions", document as wire.Definition)
