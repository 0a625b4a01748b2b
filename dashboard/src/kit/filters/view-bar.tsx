// The views of a list as links, and the dialogs that name a new one and forget an old one.
import { Link } from "@tanstack/react-router"
import { useState } from "react"
import { Button } from "../button.tsx"
import { cx } from "../classes.ts"
import { Words } from "../cut-text.tsx"
import { ActionDialog } from "../dialog.tsx"
import { TextField } from "../fields/fields.tsx"
import { say } from "../toast.tsx"
import type { FilterValues } from "./filter-kind.ts"
import { forgetView, isSameFilter, saveView, useSavedViews, type View, type Views } from "./saved-views.ts"

interface Props {
  readonly views: Views
  readonly filter: FilterValues
}

export function ViewBar({ views, filter }: Props) {
  const saved = useSavedViews(views)
  const [forgotten, setForgotten] = useState<string>()
  return (
    <nav aria-label="Views" className="flex flex-wrap items-center gap-1">
      {views.builtIn.map((view) => (
        <ViewLink key={view.name} {...{ views, view, filter }} />
      ))}
      {saved.map((view) => (
        <span key={`saved ${view.name}`} className="inline-flex max-w-full items-center">
          <ViewLink {...{ views, view, filter }} />
          <button
            type="button"
            aria-label={`Forget the view ${view.name}`}
            onClick={() => setForgotten(view.name)}
            className="text-muted hover:text-text rounded-full px-1.5 py-1 text-xs"
          >
            ✕
          </button>
        </span>
      ))}
      {forgotten !== undefined && (
        <ForgetDialog views={views} name={forgotten} onClose={() => setForgotten(undefined)} />
      )}
    </nav>
  )
}

function ViewLink({ views, view, filter }: Props & { readonly view: View }) {
  const isCurrent = isSameFilter(view.filter, filter)
  return (
    <Link
      to={views.to}
      search={view.filter}
      // Without it a view that is a part of what is shown counts as the current one, too.
      activeOptions={{ exact: true }}
      title={view.help ?? views.lines(view.filter).join("\n")}
      aria-current={isCurrent ? "true" : undefined}
      className={cx(
        "min-w-0 truncate rounded-full px-3 py-1 text-sm font-medium hover:no-underline",
        isCurrent ? "bg-accent-soft text-accent" : "text-muted hover:bg-sunken hover:text-text",
      )}
    >
      {view.name}
    </Link>
  )
}

interface ForgetProps extends Pick<Props, "views"> {
  readonly name: string
  readonly onClose: () => void
}

const ForgetDialog = ({ views, name, onClose }: ForgetProps) => (
  <ActionDialog
    title="Forget this view?"
    verb="Forget it"
    danger
    busy={false}
    error={undefined}
    onConfirm={() => {
      forgetView(views, name)
      say(`Forgot the view ${name}`)
      onClose()
    }}
    onClose={onClose}
  >
    <p>
      <b>
        <Words text={name} />
      </b>{" "}
      is kept in this browser alone. What it shows stays as it is.
    </p>
  </ActionDialog>
)

/** Shown where a filter is set that has no name yet. */
export function SaveViewButton({ views, filter }: Props) {
  const [isOpen, setIsOpen] = useState(false)
  const saved = useSavedViews(views)
  if ([...views.builtIn, ...saved].some((view) => isSameFilter(view.filter, filter))) return null
  return (
    <>
      <Button look="quiet" onClick={() => setIsOpen(true)}>
        Save view
      </Button>
      {isOpen && <SaveDialog views={views} filter={filter} onClose={() => setIsOpen(false)} />}
    </>
  )
}

function SaveDialog({ views, filter, onClose }: Props & { readonly onClose: () => void }) {
  const saved = useSavedViews(views)
  const [name, setName] = useState("")
  const [error, setError] = useState<unknown>()
  const wanted = name.trim()
  const save = () => {
    try {
      saveView(views, { name: wanted, filter })
    } catch (cause) {
      // A browser may forbid it, or its storage is full.
      return setError(cause)
    }
    say(`Saved the view ${wanted}`)
    onClose()
  }
  return (
    <ActionDialog
      title="Save this view"
      verb="Save"
      busy={false}
      error={error}
      disabled={wanted === ""}
      onConfirm={save}
      onClose={onClose}
    >
      <ul className="bg-sunken rounded-md px-3 py-2">
        {views.lines(filter).map((line) => (
          <li key={line}>
            <Words text={line} />
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
