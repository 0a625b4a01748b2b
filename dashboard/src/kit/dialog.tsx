// A dialog on the browser's own <dialog>: it keeps the focus, closes with Escape, and gives the focus back.
import { type FormEvent, type ReactNode, useEffect, useId, useRef } from "react"
import { Button } from "./button.tsx"
import { Words } from "./cut-text.tsx"
import { ErrorNote } from "./states.tsx"

interface DialogProps {
  readonly title: string
  readonly onClose: () => void
  readonly wide?: boolean
  readonly children: ReactNode
}

/** Open while it is rendered. */
export function Dialog({ title, onClose, wide = false, children }: DialogProps) {
  const dialog = useRef<HTMLDialogElement>(null)
  const titleId = useId()
  useEffect(() => {
    const element = dialog.current
    if (!element?.open) element?.showModal()
    // Not at the button that closes it: what is typed goes into the first field, and Enter does what the dialog asks.
    const fields = "form :is(input, textarea, select, button[type=submit]):not(:disabled)"
    element?.querySelector<HTMLElement>(fields)?.focus()
    return () => element?.close()
  }, [])
  return (
    <dialog
      ref={dialog}
      aria-labelledby={titleId}
      onCancel={(event) => {
        event.preventDefault()
        onClose()
      }}
      className={`border-line bg-surface text-text max-h-[90vh] w-[calc(100vw-2rem)] overflow-y-auto rounded-lg border p-0 shadow-xl ${wide ? "max-w-3xl" : "max-w-lg"}`}
    >
      <div className="flex items-start justify-between gap-4 px-5 pt-4">
        <h2 id={titleId} className="text-lg font-semibold">
          <Words text={title} />
        </h2>
        <Button look="quiet" aria-label="Close" className="-mt-1 -mr-2" onClick={onClose}>
          ✕
        </Button>
      </div>
      <div className="px-5 pt-2 pb-5">{children}</div>
    </dialog>
  )
}

interface ActionDialogProps {
  readonly title: string
  /** What the button says that does it: a verb. */
  readonly verb: string
  readonly danger?: boolean
  readonly busy: boolean
  readonly error: unknown
  readonly disabled?: boolean
  readonly wide?: boolean
  readonly onConfirm: () => void
  readonly onClose: () => void
  readonly children?: ReactNode
}

/** Asks before something is done: Enter does it, Escape does not. */
export function ActionDialog(props: ActionDialogProps) {
  const {
    title,
    verb,
    danger = false,
    busy,
    error,
    disabled = false,
    wide = false,
    onConfirm,
    onClose,
    children,
  } = props
  const submit = (event: FormEvent) => {
    event.preventDefault()
    event.stopPropagation()
    if (!busy && !disabled) onConfirm()
  }
  return (
    <Dialog title={title} onClose={onClose} wide={wide}>
      <form onSubmit={submit} className="flex flex-col gap-4">
        {children}
        <ErrorNote error={error} />
        <div className="flex justify-end gap-2">
          <Button onClick={onClose}>Back</Button>
          <Button type="submit" look={danger ? "danger" : "primary"} busy={busy} disabled={disabled}>
            {verb}
          </Button>
        </div>
      </form>
    </Dialog>
  )
}
