// How the value of a filter is chosen: from a menu, or typed.
import { type FormEvent, useEffect, useId, useRef, useState } from "react"
import { rangeWords } from "../../api/filters/time-range.ts"
import { Button } from "../button.tsx"
import { TextField } from "../fields/fields.tsx"
import { typedMoment, wallTimeOf } from "../moment.ts"
import type { EditorProps } from "./filter-kind.ts"
import { Menu, type MenuItem } from "./menu.tsx"

/** One of a few. */
export const choiceOf = (values: readonly string[], words: (value: string) => string = (value) => value) =>
  function ChoiceEditor({ label, value, onPick }: EditorProps) {
    const items = values.map((one) => ({ value: one, label: words(one), isChecked: one === value }))
    return <Menu label={label} items={items} onPick={onPick} />
  }

/** What happened within a while until now, or before it. */
export const RangeEditor = choiceOf(["15m", "1h", "24h", "7d", "30d", "over-1h", "over-1d"], rangeWords)

interface ListProps extends EditorProps {
  /** Undefined while they are asked for. */
  readonly items: readonly MenuItem[] | undefined
  readonly nothing: string
}

/** One of those that there are. */
export function ListEditor({ items, nothing, label, onPick }: ListProps) {
  const frame = useRef<HTMLDivElement>(null)
  // Until the entries are there the focus is here, so that Escape closes the panel.
  useEffect(() => frame.current?.focus(), [])
  return (
    <div ref={frame} tabIndex={-1} className="focus:outline-none">
      {items?.length ? (
        <Menu label={label} items={items} onPick={onPick} />
      ) : (
        <p className="text-muted px-2.5 py-1.5 text-sm">{items ? nothing : "Loading…"}</p>
      )}
    </div>
  )
}

export interface Suggestion {
  readonly value: string
  readonly label?: string
}

interface TypedProps extends EditorProps {
  readonly type?: "text" | "number"
  readonly hint?: string
  readonly placeholder?: string
  readonly suggestions?: readonly Suggestion[]
  /** Told of every letter, to suggest by it. */
  readonly onType?: (draft: string) => void
  /** What is typed as the address has it; undefined where it is none. */
  readonly parse?: (typed: string) => string | undefined
  /** What is said of text that is none. */
  readonly fault?: string
}

/** Typed; it counts with Enter, so that half a word is never looked for. */
export function TypedEditor(props: TypedProps) {
  const { label, value = "", type = "text", hint, placeholder, suggestions, onType, onPick, fault } = props
  const { parse = (typed: string) => typed.trim() || undefined } = props
  const [draft, setDraft] = useState(value)
  const [isWrong, setIsWrong] = useState(false)
  const form = useRef<HTMLFormElement>(null)
  const listId = useId()
  useEffect(() => form.current?.querySelector("input")?.select(), [])
  const pick = (typed: string) => {
    const parsed = parse(typed)
    if (parsed === undefined) setIsWrong(typed.trim() !== "")
    else onPick(parsed)
  }
  const change = ({ target, nativeEvent }: FormEvent<HTMLInputElement> & { target: HTMLInputElement }) => {
    setDraft(target.value)
    setIsWrong(false)
    onType?.(target.value)
    // Picked from the suggestions, not typed.
    if ((nativeEvent as InputEvent).inputType === "insertReplacementText") pick(target.value)
  }
  const submit = (event: FormEvent) => {
    event.preventDefault()
    pick(draft)
  }
  return (
    <form ref={form} onSubmit={submit} className="flex flex-col gap-2 p-1.5">
      <TextField
        {...{ label, type, hint, placeholder }}
        {...(type === "number" ? { min: 1 } : {})}
        error={isWrong ? fault : undefined}
        value={draft}
        list={suggestions && listId}
        autoComplete="off"
        onChange={change}
      />
      {suggestions && <Suggestions id={listId} all={suggestions} />}
      <Button type="submit" className="self-end" disabled={draft.trim() === ""}>
        Apply
      </Button>
    </form>
  )
}

const Suggestions = ({ id, all }: { readonly id: string; readonly all: readonly Suggestion[] }) => (
  <datalist id={id}>
    {all.map((one) => (
      <option key={one.value} {...one} />
    ))}
  </datalist>
)

export const NumberEditor = (props: EditorProps) => <TypedEditor {...props} type="number" />

/** A moment by the clock on the wall here; in the address it is one for everybody. */
export const MomentEditor = (props: EditorProps) => (
  <TypedEditor
    {...props}
    value={wallTimeOf(props.value).replace("T", " ")}
    placeholder="2025-03-01 09:30"
    hint="A date, or a date and a time, by your clock."
    parse={typedMoment}
    fault="Write a date such as 2025-03-01, or a date and a time such as 2025-03-01 09:30."
  />
)
