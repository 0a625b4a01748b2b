// Tabs: one panel of several, moved through with the arrow keys.
import { type KeyboardEvent, type ReactNode, useId, useRef } from "react"
import { cx } from "./classes.ts"

interface Tab<Name extends string> {
  readonly name: Name
  readonly label: ReactNode
}

interface Props<Name extends string> {
  readonly label: string
  readonly tabs: readonly Tab<Name>[]
  readonly current: Name
  readonly onChange: (name: Name) => void
  readonly children: ReactNode
}

export function Tabs<Name extends string>({ label, tabs, current, onChange, children }: Props<Name>) {
  const id = useId()
  const list = useRef<HTMLDivElement>(null)
  const move = (event: KeyboardEvent) => {
    const step = event.key === "ArrowRight" ? 1 : event.key === "ArrowLeft" ? -1 : 0
    if (step === 0) return
    event.preventDefault()
    const at = (tabs.findIndex(({ name }) => name === current) + step + tabs.length) % tabs.length
    onChange((tabs[at] as Tab<Name>).name)
    list.current?.querySelectorAll<HTMLElement>("[role=tab]")[at]?.focus()
  }
  return (
    <div className="min-w-0">
      <div
        ref={list}
        role="tablist"
        aria-label={label}
        onKeyDown={move}
        className="border-line flex gap-1 overflow-x-auto overflow-y-hidden border-b px-2"
      >
        {tabs.map(({ name, label }) => (
          <button
            key={name}
            type="button"
            role="tab"
            id={`${id}-${name}`}
            aria-selected={name === current}
            aria-controls={`${id}-panel`}
            tabIndex={name === current ? 0 : -1}
            onClick={() => onChange(name)}
            className={cx(
              "-mb-px border-b-2 px-3 py-2 font-medium whitespace-nowrap",
              name === current ? "border-accent text-text" : "text-muted hover:text-text border-transparent",
            )}
          >
            {label}
          </button>
        ))}
      </div>
      <div role="tabpanel" id={`${id}-panel`} aria-labelledby={`${id}-${current}`}>
        {children}
      </div>
    </div>
  )
}
