// Saved filters as links, and the dialogs that name a new one and forget an old one.
import { Link } from "@tanstack/react-router"
import { useState } from "react"
import type { InstanceFilter } from "../../api/instances.ts"
import { Button } from "../../kit/button.tsx"
import { cx } from "../../kit/classes.ts"
import { ActionDialog } from "../../kit/dialog.tsx"
import { TextField } from "../../kit/fields/fields.tsx"
import { say } from "../../kit/toast.tsx"
import { filterWords } from "./filter-words.ts"
import { forgetFilter, saveFilter, useSavedFilters } from "./saved-filters.ts"

const isSame = (a: InstanceFilter, b: InstanceFilter): boolean => filterWords(a).join() === filterWords(b).join()

export function SavedFilterBar({ filter }: { readonly filter: InstanceFilter }) {
  const saved = useSavedFilters()
  const [forgotten, setForgotten] = useState<string>()
  if (saved.length === 0) return null
  return (
    <nav aria-label="Saved filters" className="flex flex-wrap items-center gap-2">
      {saved.map((one) => (
        <span
          key={one.name}
          className={cx(
            "border-line inline-flex max-w-full items-center rounded-full border",
            isSame(one.filter, filter) ? "bg-accent-soft" : "bg-surface hover:bg-sunken",
          )}
        >
          <Link
            to="/instances"
            search={one.filter}
            title={filterWords(one.filter).join("\n")}
            aria-current={isSame(one.filter, filter) ? "true" : undefined}
            className="truncate py-1 pl-3 text-xs font-medium hover:no-underline"
          >
            {one.name}
          </Link>
          <button
            type="button"
            aria-label={`Forget the filter ${one.name}`}
            onClick={() => setForgotten(one.name)}
            className="text-muted hover:text-text rounded-full px-2 py-1 text-xs"
          >
            ✕
          </button>
        </span>
      ))}
      {forgotten !== undefined && (
        <ActionDialog
          title="Forget this filter?"
          verb="Forget it"
          danger
          busy={false}
          error={undefined}
          onConfirm={() => {
            forgetFilter(forgotten)
            say(`Forgot the filter ${forgotten}`)
            setForgotten(undefined)
          }}
          onClose={() => setForgotten(undefined)}
        >
          <p>
            <b className="break-words">{forgotten}</b> is kept in this browser alone. The instances it shows stay as
            they are.
          </p>
        </ActionDialog>
      )}
    </nav>
  )
}

export function SaveFilterButton({ filter }: { readonly filter: InstanceFilter }) {
  const [isOpen, setIsOpen] = useState(false)
  return (
    <>
      <Button onClick={() => setIsOpen(true)}>Save filter</Button>
      {isOpen && <SaveDialog filter={filter} onClose={() => setIsOpen(false)} />}
    </>
  )
}

function SaveDialog({ filter, onClose }: { readonly filter: InstanceFilter; readonly onClose: () => void }) {
  const saved = useSavedFilters()
  const [name, setName] = useState("")
  const wanted = name.trim()
  return (
    <ActionDialog
      title="Save this filter"
      verb="Save"
      busy={false}
      error={undefined}
      disabled={wanted === ""}
      onConfirm={() => {
        saveFilter({ name: wanted, filter })
        say(`Saved the filter ${wanted}`)
        onClose()
      }}
      onClose={onClose}
    >
      <ul className="bg-sunken rounded-md px-3 py-2">
        {filterWords(filter).map((line) => (
          <li key={line} className="break-words">
            {line}
          </li>
        ))}
      </ul>
      <TextField
        label="Name"
        autoFocus
        maxLength={60}
        value={name}
        onChange={(event) => setName(event.target.value)}
        hint={
          saved.some((one) => one.name === wanted)
            ? "There is one of this name: it will be replaced."
            : "Kept in this browser. To share it, copy the address of the page."
        }
      />
    </ActionDialog>
  )
}
