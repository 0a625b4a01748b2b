// Fields of a filter: what is typed counts when one presses Enter or goes on, so that half a word is never looked for.
import { useId, useState } from "react"
import { momentOf, wallTimeOf } from "../moment.ts"
import { TextField } from "./fields.tsx"

export interface Suggestion {
  readonly value: string
  readonly label?: string
}

interface TextProps {
  readonly label: string
  readonly value: string | undefined
  readonly onChange: (value: string | undefined) => void
  readonly type?: "text" | "number" | "datetime-local"
  readonly min?: number
  readonly placeholder?: string
  readonly suggestions?: readonly Suggestion[]
  /** Told of every letter, to suggest by it. */
  readonly onType?: (draft: string) => void
}

export function FilterText({ value = "", onChange, suggestions, onType, ...rest }: TextProps) {
  const [draft, setDraft] = useDraft(value)
  const listId = useId()
  const commit = (text: string) => {
    if (text.trim() !== value) onChange(text.trim() || undefined)
  }
  const type = (text: string) => {
    setDraft(text)
    onType?.(text)
  }
  return (
    <div>
      <TextField
        {...rest}
        value={draft}
        list={suggestions && listId}
        autoComplete="off"
        onChange={(event) => {
          type(event.target.value)
          // Picked from the suggestions, not typed.
          const { inputType } = event.nativeEvent as InputEvent
          if (inputType === "insertReplacementText") commit(event.target.value)
        }}
        onBlur={() => commit(draft)}
        onKeyDown={(event) => event.key === "Enter" && commit(draft)}
      />
      {suggestions && (
        <datalist id={listId}>
          {suggestions.map((one) => (
            <option key={one.value} {...one} />
          ))}
        </datalist>
      )}
    </div>
  )
}

/** A moment of the wall clock here; in the address it is one for everybody. */
export const FilterTime = ({ value, onChange, label }: Pick<TextProps, "label" | "value" | "onChange">) => (
  <FilterText
    label={label}
    type="datetime-local"
    value={wallTimeOf(value)}
    onChange={(wallTime) => onChange(momentOf(wallTime ?? ""))}
  />
)

/** What is typed, until the value changes from elsewhere: Back, a saved filter, Clear. */
function useDraft(value: string): [string, (draft: string) => void] {
  const [draft, setDraft] = useState(value)
  const [seen, setSeen] = useState(value)
  if (seen !== value) {
    setSeen(value)
    setDraft(value)
  }
  return [draft, setDraft]
}
