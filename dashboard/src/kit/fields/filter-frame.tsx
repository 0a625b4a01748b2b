// The frame of a list's filters: side by side where there is room, behind a button where there is little.
import { type ReactNode, useId, useState } from "react"
import { Button } from "../button.tsx"
import { cx } from "../classes.ts"

interface Props {
  readonly label: string
  /** How many of them are set. */
  readonly set: number
  readonly children: ReactNode
}

export function FilterFrame({ label, set, children }: Props) {
  const [isOpen, setIsOpen] = useState(false)
  const id = useId()
  return (
    <search aria-label={label} className="flex flex-col gap-3 p-4 max-sm:p-3">
      <Button
        className="sm:hidden"
        aria-expanded={isOpen}
        aria-controls={id}
        onClick={() => setIsOpen((before) => !before)}
      >
        {set === 0 ? "Filters" : `Filters: ${set} set`}
      </Button>
      <div
        id={id}
        className={cx("grid items-end gap-x-3 gap-y-2.5 sm:grid-cols-2 lg:grid-cols-4", !isOpen && "max-sm:hidden")}
      >
        {children}
      </div>
    </search>
  )
}
