// A menu: one of several entries, moved through with the arrow keys or by a first letter.
import { type KeyboardEvent, useEffect, useRef } from "react"
import { cx } from "../classes.ts"

export interface MenuItem {
  readonly value: string
  readonly label: string
  /** What it means, below its name. */
  readonly help?: string | undefined
  /** Where one of them holds already. */
  readonly isChecked?: boolean
}

interface Props {
  readonly label: string
  readonly items: readonly MenuItem[]
  readonly onPick: (value: string) => void
}

export function Menu({ label, items, onPick }: Props) {
  const list = useRef<HTMLDivElement>(null)
  const hasItems = items.length > 0
  useEffect(() => {
    if (hasItems)
      (list.current?.querySelector<HTMLElement>("[aria-checked=true]") ?? entriesOf(list.current)[0])?.focus()
  }, [hasItems])
  const onKeyDown = (event: KeyboardEvent) => {
    // The keys of the screen behind it mean nothing here.
    if (event.key !== "Escape") event.stopPropagation()
    const entries = entriesOf(list.current)
    const next = nextEntry(event.key, entries)
    if (!next) return
    event.preventDefault()
    next.focus()
  }
  return (
    <div ref={list} role="menu" tabIndex={-1} aria-label={label} onKeyDown={onKeyDown} className="flex flex-col">
      {items.map((item) => (
        <Entry key={item.value} item={item} onPick={onPick} />
      ))}
    </div>
  )
}

function Entry({ item, onPick }: { readonly item: MenuItem; readonly onPick: Props["onPick"] }) {
  const { value, label, help, isChecked } = item
  return (
    <button
      type="button"
      tabIndex={-1}
      {...(isChecked === undefined ? { role: "menuitem" } : { role: "menuitemradio", "aria-checked": isChecked })}
      onClick={() => onPick(value)}
      className={cx(
        "hover:bg-sunken focus:bg-accent-soft rounded px-2.5 py-1.5 text-left text-sm focus:outline-none",
        isChecked && "font-semibold",
      )}
    >
      <span className="block truncate" title={label}>
        {label}
      </span>
      {help && <span className="text-muted block text-xs font-normal">{help}</span>}
    </button>
  )
}

const entriesOf = (list: HTMLElement | null): HTMLElement[] => [
  ...(list?.querySelectorAll<HTMLElement>("[role^=menuitem]") ?? []),
]

function nextEntry(key: string, entries: readonly HTMLElement[]): HTMLElement | undefined {
  const at = entries.indexOf(document.activeElement as HTMLElement)
  if (key === "ArrowDown") return entries[(at + 1) % entries.length]
  if (key === "ArrowUp") return entries.at(at <= 0 ? -1 : at - 1)
  if (key === "Home") return entries[0]
  if (key === "End") return entries.at(-1)
  if (key.length !== 1 || key === " ") return undefined
  const startsWith = (entry: HTMLElement) => entry.textContent?.toLowerCase().startsWith(key.toLowerCase())
  return [...entries.slice(at + 1), ...entries.slice(0, at + 1)].find(startsWith)
}
