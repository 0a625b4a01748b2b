// Names a definition; those that fit what is typed are suggested.
import { keepPreviousData, useQuery } from "@tanstack/react-query"
import { useDeferredValue, useState } from "react"
import { definitionsQuery } from "../../api/definitions.ts"
import { useMay } from "../../api/session.ts"
import { FilterText } from "./filter-fields.tsx"

interface Props {
  readonly label: string
  readonly value: string | undefined
  readonly onChange: (definitionId: string | undefined) => void
}

const MAX_KEYWORD = 256

export function DefinitionField(props: Props) {
  const [typed, setTyped] = useState("")
  const keyword = useDeferredValue(typed).slice(0, MAX_KEYWORD) || undefined
  const { data } = useQuery({
    ...definitionsQuery(keyword, 0),
    enabled: useMay("definitions:read"),
    staleTime: 30_000,
    placeholderData: keepPreviousData,
  })
  const suggestions = (data?.items ?? []).map(({ id, name }) => ({ value: id, label: name }))
  return <FilterText {...props} placeholder="any" suggestions={suggestions} onType={setTyped} />
}
