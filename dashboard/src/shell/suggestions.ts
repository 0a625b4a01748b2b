// What the find box suggests while one types: instances whose key or id begins with it; screens, definitions and job types by their names.
import { keepPreviousData, useQuery } from "@tanstack/react-query"
import type { LinkProps } from "@tanstack/react-router"
import { useDeferredValue } from "react"
import { definitionsQuery } from "../api/definitions.ts"
import { jobTypesQuery } from "../api/job-types.ts"
import { type FoundInstance, searchQuery } from "../api/search.ts"
import { useMay, useScopes } from "../api/session.ts"
import { namesOf, namesText } from "../kit/names/instance-names.ts"
import { definitionPlace, jobTypePlace } from "./find.ts"
import { PLACES } from "./places.ts"

export interface Suggestion {
  readonly kind: "screen" | "definition" | "job type" | "key" | "business key" | "instance"
  readonly name: string
  /** Tells those of one name apart. */
  readonly of?: string
  /** What else it is called. */
  readonly besides?: string
  readonly place: Pick<LinkProps, "to" | "params" | "search">
}

/** How many suggestions of each kind are shown. */
const MOST = 5
const MAX_KEYWORD = 256

export function useSuggestions(typed: string): readonly Suggestion[] {
  const text = useDeferredValue(typed.trim()).slice(0, MAX_KEYWORD)
  const may = useScopes()
  const asks = text !== ""
  const definitions = useQuery({
    ...definitionsQuery(text, 0),
    enabled: useMay("definitions:read") && asks,
    placeholderData: keepPreviousData,
  })
  const found = useQuery({ ...searchQuery(text), enabled: useMay("instances:read") && asks })
  const types = useQuery({ ...jobTypesQuery, enabled: useMay("jobs:read") && asks })
  if (!asks) return []
  const has = (name: string): boolean => name.toLowerCase().includes(text.toLowerCase())
  return [
    ...PLACES.filter(({ label, scope }) => has(label) && may(scope)).map(
      ({ label, to }): Suggestion => ({ kind: "screen", name: label, place: { to } }),
    ),
    ...(definitions.data?.items ?? [])
      .filter(({ id, name }) => has(id) || has(name))
      .map(({ id }): Suggestion => ({ kind: "definition", name: id, place: definitionPlace(id) }))
      .slice(0, MOST),
    ...(types.data ?? [])
      .filter(({ name }) => has(name))
      .map(({ name }): Suggestion => ({ kind: "job type", name, place: jobTypePlace(name) }))
      .slice(0, MOST),
    ...(found.data ?? []).map(toSuggestion),
  ]
}

const MATCHED = { key: "key", businessKey: "business key", id: "instance" } as const

const toSuggestion = ({ instanceId, matched, text, definitionId, ...names }: FoundInstance): Suggestion => ({
  kind: MATCHED[matched],
  name: text,
  of: `${definitionId} ${instanceId}`,
  besides: namesText(namesOf(names).filter(({ of }) => of !== matched)),
  place: { to: "/instances/$instanceId", params: { instanceId } },
})
