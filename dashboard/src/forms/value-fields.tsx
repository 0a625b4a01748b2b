// Fields for values that are not plain text: numbers, yes or no, lists, and JSON for all others.
import { type ReactNode, useId, useState } from "react"
import { Button } from "../kit/button.tsx"
import { TextField } from "../kit/fields/fields.tsx"
import { jsonText, parseJson } from "../kit/json.tsx"
import { JsonEditor } from "./json-editor.tsx"

/** What every field is given. */
export interface ValueProps {
  readonly label: ReactNode
  readonly hint: string | undefined
  readonly error: string | undefined
  readonly isRequired: boolean
  readonly value: unknown
  readonly onChange: (value: unknown) => void
}

const NUMBER = /^-?\d+(\.\d+)?([eE][+-]?\d+)?$/

/** Text that is no number stays as it is typed, and is found wrong where the form is checked. */
const readNumber = (text: string): unknown =>
  text.trim() === "" ? undefined : NUMBER.test(text.trim()) ? Number(text) : text

const shownNumber = (value: unknown): string =>
  value === undefined ? "" : typeof value === "string" ? value : JSON.stringify(value)

export function NumberField({
  value,
  onChange,
  isWhole,
  isRequired,
  ...look
}: ValueProps & { readonly isWhole: boolean }) {
  // "1." and "1.0" are on the way to "1.05": what is typed is shown, as long as it means the value.
  const [typed, setTyped] = useState("")
  const text = Object.is(readNumber(typed), value) ? typed : shownNumber(value)
  return (
    <TextField
      {...look}
      aria-required={isRequired}
      inputMode={isWhole ? "numeric" : "decimal"}
      autoComplete="off"
      value={text}
      onChange={(event) => {
        setTyped(event.target.value)
        onChange(readNumber(event.target.value))
      }}
    />
  )
}

/** Two buttons, not a box to tick: an answer that is needed is not given by looking away. */
export function YesNoField({ label, hint, error, isRequired, value, onChange }: ValueProps) {
  const id = useId()
  const answers = [["Yes", true], ["No", false], ...(isRequired ? [] : [["Not set", undefined] as const])] as const
  return (
    <fieldset className="min-w-0" aria-describedby={hint || error ? `${id}-note` : undefined}>
      <legend className="text-muted text-xs font-medium">{label}</legend>
      <div className="mt-1 flex flex-wrap gap-4">
        {answers.map(([word, answer]) => (
          <label key={word} className="flex items-center gap-1.5">
            <input
              type="radio"
              name={id}
              className="size-4"
              checked={value === answer}
              aria-invalid={error !== undefined || undefined}
              onChange={() => onChange(answer)}
            />
            {word}
          </label>
        ))}
      </div>
      {(error ?? hint) && (
        <p id={`${id}-note`} className={error ? "text-bad mt-1 text-xs" : "text-muted mt-1 text-xs"}>
          {error ?? hint}
        </p>
      )}
    </fieldset>
  )
}

interface ListProps extends ValueProps {
  readonly title: string
  readonly renderItem: (index: number, item: unknown, onChange: (next: unknown) => void) => ReactNode
}

export function ListField({ label, hint, error, isRequired, title, value, onChange, renderItem }: ListProps) {
  const items: readonly unknown[] = Array.isArray(value) ? value : []
  const put = (next: readonly unknown[]) => onChange(next.length === 0 && !isRequired ? undefined : next)
  return (
    <fieldset className="border-line flex min-w-0 flex-col gap-2 rounded-md border px-3 pt-1 pb-3">
      <legend className="text-muted px-1 text-xs font-medium">{label}</legend>
      {(error ?? hint) && <p className={error ? "text-bad text-xs" : "text-muted text-xs"}>{error ?? hint}</p>}
      {items.map((item, index) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: the entries have no name but their place.
        <div key={index} className="flex items-end gap-2">
          <div className="min-w-0 grow">
            {renderItem(index, item === null ? undefined : item, (next) => put(items.with(index, next ?? null)))}
          </div>
          <Button
            look="quiet"
            aria-label={`Remove ${title} ${index + 1}`}
            onClick={() => put(items.filter((_, at) => at !== index))}
          >
            Remove
          </Button>
        </div>
      ))}
      <Button className="self-start" aria-label={`Add to ${title}`} onClick={() => put([...items, null])}>
        Add
      </Button>
    </fieldset>
  )
}

/** Text that is not JSON yet keeps the form from being sent. */
export function JsonField({ label, hint, error, value, onChange }: ValueProps) {
  const [text, setText] = useState(() => (value === undefined ? "" : jsonText(value)))
  const change = (next: string) => {
    setText(next)
    const parsed = parseJson(next)
    if (next.trim() === "") onChange(undefined)
    else if (parsed.error === undefined) onChange(parsed.value)
  }
  return (
    <JsonEditor
      label={label}
      hint={hint ?? "As JSON"}
      value={text}
      onChange={change}
      marks={error === undefined ? [] : [{ path: "$", message: error }]}
      mayBeEmpty
      minLines={3}
    />
  )
}
