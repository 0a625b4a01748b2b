// A field of a filter: what is typed counts when one presses Enter or goes on, so that half a word is never looked for.
import { useState } from "react"
import { TextField } from "./fields.tsx"

interface TextProps {
  readonly label: string
  readonly value: string | undefined
  readonly onChange: (value: string | undefined) => void
  readonly placeholder?: string
}

export function FilterText({ value = "", onChange, ...rest }: TextProps) {
  const [draft, setDraft] = useDraft(value)
  const commit = () => {
    if (draft.trim() !== value) onChange(draft.trim() || undefined)
  }
  return (
    <TextField
      {...rest}
      value={draft}
      autoComplete="off"
      onChange={(event) => setDraft(event.target.value)}
      onBlur={commit}
      onKeyDown={(event) => event.key === "Enter" && commit()}
    />
  )
}

/** What is typed, until the value changes from elsewhere: Back, or a link. */
function useDraft(value: string): [string, (draft: string) => void] {
  const [draft, setDraft] = useState(value)
  const [seen, setSeen] = useState(value)
  if (seen !== value) {
    setSeen(value)
    setDraft(value)
  }
  return [draft, setDraft]
}
