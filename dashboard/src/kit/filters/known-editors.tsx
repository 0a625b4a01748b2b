// Editors of filters that know what there is: definitions, job types, errors. Each asks the engine when it is opened.
import { keepPreviousData, useQuery } from "@tanstack/react-query"
import { useDeferredValue, useState } from "react"
import { deadGroupsQuery, stepFailuresQuery } from "../../api/dead-letters.ts"
import { definitionsQuery } from "../../api/definitions.ts"
import { jobTypesQuery } from "../../api/job-types.ts"
import { useMay } from "../../api/session.ts"
import { firstLine } from "../cut-text.tsx"
import { count } from "../numbers.ts"
import { ListEditor, TypedEditor } from "./editors.tsx"
import type { EditorProps } from "./filter-kind.ts"
import type { MenuItem } from "./menu.tsx"

const MAX_KEYWORD = 256

/** Suggests the definitions that fit what is typed. */
export function DefinitionEditor(props: EditorProps) {
  const [typed, setTyped] = useState("")
  const keyword = useDeferredValue(typed).slice(0, MAX_KEYWORD) || undefined
  const { data } = useQuery({
    ...definitionsQuery(keyword, 0),
    enabled: useMay("definitions:read"),
    staleTime: 30_000,
    placeholderData: keepPreviousData,
  })
  const suggestions = (data?.items ?? []).map(({ id, name }) => ({ value: id, label: name }))
  return <TypedEditor {...props} suggestions={suggestions} onType={setTyped} />
}

export function JobTypeEditor(props: EditorProps) {
  const types = useQuery({ ...jobTypesQuery, staleTime: 30_000 })
  return <TypedEditor {...props} suggestions={(types.data ?? []).map(({ name }) => ({ value: name }))} />
}

/** Errors of all dead letters. Like errors have the same fingerprint, which cannot be typed. */
export function FailureEditor(props: EditorProps) {
  const { data } = useGroups()
  const items = data?.items.map(({ fingerprint, error, count: letters, count_is_exact }) => ({
    value: fingerprint,
    label: firstLine(error),
    help: `${count(letters, count_is_exact)} dead`,
  }))
  return <ListEditor {...props} items={checked(items, props.value)} nothing="Nothing has died so far." />
}

/** Errors of steps alone, which fail an instance: of the definition that is filtered by, or of any. */
export function StepFailureEditor(props: EditorProps) {
  const { data } = useStepFailures(props.values.definitionId)
  const items = data?.map(({ fingerprint, error }) => ({ value: fingerprint, label: firstLine(error) }))
  return <ListEditor {...props} items={checked(items, props.value)} nothing="No step has failed so far." />
}

const checked = (items: readonly MenuItem[] | undefined, value: string | undefined) =>
  items?.map((item) => ({ ...item, isChecked: item.value === value }))

const useGroups = () => useQuery({ ...deadGroupsQuery(), enabled: useMay("jobs:read"), staleTime: 10_000 })

const useStepFailures = (definitionId: string | undefined) =>
  useQuery({ ...stepFailuresQuery(definitionId), enabled: useMay("jobs:read"), staleTime: 10_000 })

/** The error instead of its fingerprint, where it is among those that are known. */
export function FailureWords({ value }: { readonly value: string }) {
  const found = useGroups().data?.items.find(({ fingerprint }) => fingerprint === value)
  return found ? firstLine(found.error) : value
}

export function StepFailureWords({ value }: { readonly value: string }) {
  const found = useStepFailures(undefined).data?.find(({ fingerprint }) => fingerprint === value)
  return found ? firstLine(found.error) : value
}
