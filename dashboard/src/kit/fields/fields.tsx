// Inputs with their labels: the label is always there, a hint and what is wrong are read with it.
import {
  type InputHTMLAttributes,
  type ReactNode,
  type SelectHTMLAttributes,
  type TextareaHTMLAttributes,
  useId,
} from "react"
import { cx } from "../classes.ts"

const BOX = "border-line bg-surface min-h-8.5 w-full rounded-md border px-2.5 py-1.5 aria-invalid:border-bad"

interface FieldProps {
  readonly label: ReactNode
  readonly hint?: ReactNode
  readonly error?: string | undefined
  /** Beside each other with others, not one per line. */
  readonly inline?: boolean
}

interface Wired {
  readonly id: string
  readonly "aria-describedby"?: string
  readonly "aria-invalid"?: true
}

function Field({ label, hint, error, children }: FieldProps & { readonly children: (wired: Wired) => ReactNode }) {
  const id = useId()
  const noteId = `${id}-note`
  const hasNote = hint !== undefined || error !== undefined
  return (
    <div className="flex min-w-0 flex-col gap-1">
      <label htmlFor={id} className="text-muted text-xs font-medium">
        {label}
      </label>
      {children({
        id,
        ...(hasNote ? { "aria-describedby": noteId } : {}),
        ...(error === undefined ? {} : { "aria-invalid": true as const }),
      })}
      {hasNote && (
        <p id={noteId} className={cx("text-xs", error === undefined ? "text-muted" : "text-bad")}>
          {error ?? hint}
        </p>
      )}
    </div>
  )
}

type Native<T> = Omit<T, "id">

export function TextField({
  label,
  hint,
  error,
  className,
  ...rest
}: FieldProps & Native<InputHTMLAttributes<HTMLInputElement>>) {
  return (
    <Field label={label} hint={hint} error={error}>
      {(wired) => <input {...wired} className={cx(BOX, className)} {...rest} />}
    </Field>
  )
}

export function SelectField({
  label,
  hint,
  error,
  className,
  children,
  ...rest
}: FieldProps & Native<SelectHTMLAttributes<HTMLSelectElement>>) {
  return (
    <Field label={label} hint={hint} error={error}>
      {(wired) => (
        <select {...wired} className={cx(BOX, className)} {...rest}>
          {children}
        </select>
      )}
    </Field>
  )
}

export function AreaField({
  label,
  hint,
  error,
  className,
  ...rest
}: FieldProps & Native<TextareaHTMLAttributes<HTMLTextAreaElement>>) {
  return (
    <Field label={label} hint={hint} error={error}>
      {(wired) => (
        <textarea {...wired} spellCheck={false} className={cx(BOX, "font-mono text-xs", className)} {...rest} />
      )}
    </Field>
  )
}

export function CheckField({
  label,
  className,
  ...rest
}: { readonly label: ReactNode } & Native<InputHTMLAttributes<HTMLInputElement>>) {
  const id = useId()
  return (
    <div className={cx("flex items-center gap-2", className)}>
      <input id={id} type="checkbox" className="size-4" {...rest} />
      <label htmlFor={id}>{label}</label>
    </div>
  )
}
