// Type part of a name, or the beginning of a key or an id, and choose; or paste an id, of an instance or a job, and be there.
import { useNavigate } from "@tanstack/react-router"
import { type FormEvent, type KeyboardEvent, useEffect, useId, useRef, useState } from "react"
import { cx } from "../kit/classes.ts"
import { CutName } from "../kit/cut-text.tsx"
import { useKeys } from "../kit/keys.ts"
import { placeOf } from "./find.ts"
import { type Suggestion, useSuggestions } from "./suggestions.ts"

export function FindBox() {
  const [text, setText] = useState("")
  const [note, setNote] = useState("")
  /** The index of the chosen suggestion. An arrow key chooses one; without a choice, Enter finds what was typed. */
  const [at, setAt] = useState(-1)
  const box = useFocusKeys()
  const listId = useId()
  const navigate = useNavigate()
  const [isFocused, setIsFocused] = useState(false)
  const suggestions = useSuggestions(isFocused ? text : "")
  const chosen = suggestions[at]
  const type = (typed: string) => {
    setText(typed)
    setAt(-1)
    setNote("")
  }
  // Emptied first: what is typed while the next screen loads stays.
  const go = async (place: Suggestion["place"]) => {
    type("")
    await navigate(place)
  }
  const find = async (event: FormEvent) => {
    event.preventDefault()
    if (chosen) return go(chosen.place)
    const wanted = text.trim()
    if (wanted === "") return
    const place = await placeOf(wanted)
    if (place) await go(place)
    else setNote("No instance or job has this id.")
  }
  const move = (event: KeyboardEvent) => {
    if (event.key === "Escape") return type("")
    const step = event.key === "ArrowDown" ? 1 : event.key === "ArrowUp" ? -1 : 0
    if (step === 0 || suggestions.length === 0) return
    event.preventDefault()
    setAt((before) => Math.min(suggestions.length - 1, Math.max(-1, before + step)))
  }
  return (
    <search className="relative">
      <form onSubmit={(event) => void find(event).catch((error: Error) => setNote(error.message))}>
        <input
          ref={box}
          type="search"
          role="combobox"
          aria-label="Find a name, an id or a key"
          aria-expanded={suggestions.length > 0}
          aria-controls={listId}
          aria-autocomplete="list"
          aria-activedescendant={chosen ? `${listId}-${at}` : undefined}
          placeholder="Find anything  ⌘K"
          autoComplete="off"
          value={text}
          onChange={(event) => type(event.target.value)}
          onKeyDown={move}
          onFocus={() => setIsFocused(true)}
          onBlur={() => setIsFocused(false)}
          className="border-line bg-ground w-full rounded-md border px-2.5 py-1 text-sm"
        />
        <p role="status" className="text-warn px-1 text-xs">
          {note}
        </p>
      </form>
      <Suggestions id={listId} of={suggestions} chosen={at} onChoose={(place) => void go(place)} />
    </search>
  )
}

interface ListProps {
  readonly id: string
  readonly of: readonly Suggestion[]
  readonly chosen: number
  readonly onChoose: (place: Suggestion["place"]) => void
}

/** Always there for those who do not see it, and seen where it has something to say. The focus stays in the box. */
const Suggestions = ({ id, of, chosen, onChoose }: ListProps) => (
  <div
    id={id}
    role="listbox"
    aria-label="Suggestions"
    className={cx(
      "border-line bg-surface absolute inset-x-0 top-9 z-40 overflow-y-auto rounded-md border py-1 shadow-xl md:w-80",
      of.length === 0 && "hidden",
    )}
  >
    {of.map(({ kind, name, of: whose, besides, place }, index) => (
      // biome-ignore lint/a11y/useKeyWithClickEvents: the keys are those of the box, which keeps the focus.
      <div
        key={`${kind} ${name} ${whose}`}
        id={`${id}-${index}`}
        role="option"
        tabIndex={-1}
        aria-selected={index === chosen}
        onMouseDown={(event) => event.preventDefault()}
        onClick={() => onChoose(place)}
        className={cx(
          "flex cursor-pointer flex-wrap items-center justify-between gap-x-3 px-3 py-1.5 text-sm",
          index === chosen ? "bg-accent-soft" : "hover:bg-sunken",
        )}
      >
        <span className="min-w-0 flex-1">
          <CutName text={name} />
        </span>
        <span className="text-muted text-xs whitespace-nowrap">
          {kind}
          {whose !== undefined && ` · ${whose.split(" ")[0]}`}
        </span>
        {besides && <span className="text-muted w-full truncate text-xs">{besides}</span>}
      </div>
    ))}
  </div>
)

/** `/` where no text is typed; ⌘K, or Ctrl and K, from anywhere but a dialog. */
function useFocusKeys() {
  const box = useRef<HTMLInputElement>(null)
  useKeys({ "/": () => box.current?.focus() })
  useEffect(() => {
    const onKey = (event: globalThis.KeyboardEvent) => {
      if (event.key !== "k" || !(event.metaKey || event.ctrlKey) || document.querySelector("dialog[open]")) return
      event.preventDefault()
      box.current?.focus()
      box.current?.select()
    }
    document.addEventListener("keydown", onKey)
    return () => document.removeEventListener("keydown", onKey)
  }, [])
  return box
}
