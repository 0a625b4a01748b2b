// What is shown instead of data: while it loads, when there is none, when it could not be read.
import type { UseQueryResult } from "@tanstack/react-query"
import type { ReactNode } from "react"
import { ApiError } from "../api/http.ts"
import { Words } from "./cut-text.tsx"
import { Snippet } from "./json.tsx"

export function Loading({ what = "Loading" }: { readonly what?: string }) {
  return (
    <p role="status" className="text-muted motion-safe:animate-pulse px-4 py-6">
      {what}…
    </p>
  )
}

interface EmptyProps {
  readonly title: string
  /** Code or a command that would put something here. */
  readonly code?: string
  readonly action?: ReactNode
  readonly children?: ReactNode
}

/** Teaches: what would be here, the code for it, and a button that leads to it. */
export function Empty({ title, code, action, children }: EmptyProps) {
  return (
    <div className="text-muted flex flex-col items-center gap-1 px-4 py-10 text-center">
      <p className="text-text font-medium">{title}</p>
      {children && <div className="max-w-prose">{children}</div>}
      {code && <Snippet code={code} label="example" className="mt-2 w-full max-w-prose rounded-md" />}
      {action && <div className="mt-3">{action}</div>}
    </div>
  )
}

/** Says what went wrong and, where the engine named them, at which places. */
export function ErrorNote({ error }: { readonly error: unknown }) {
  if (!error) return null
  const message = error instanceof Error ? error.message : String(error)
  const { violations = [], requestId } = error instanceof ApiError ? error : {}
  return (
    <div role="alert" className="border-bad bg-bad-soft text-bad rounded-md border px-3 py-2">
      <p>
        <Words text={message} />
      </p>
      {violations.some((violation) => !message.includes(violation.message)) && (
        <ul className="mt-1 list-disc pl-5">
          {violations.map(({ path, message }) => (
            <li key={path + message}>
              <code>{path}</code> <Words text={message} />
            </li>
          ))}
        </ul>
      )}
      {requestId && (
        <p className="mt-1 text-xs">
          request <code>{requestId}</code>
        </p>
      )}
    </div>
  )
}

/** The three states of a query, and its data. Data that is there stays while it is read again. */
export function Loaded<T>({
  query,
  children,
}: {
  readonly query: UseQueryResult<T>
  readonly children: (data: T) => ReactNode
}) {
  if (query.data !== undefined) return children(query.data)
  if (query.error) return <ErrorNote error={query.error} />
  return <Loading />
}
