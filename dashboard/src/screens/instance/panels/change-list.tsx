// What changed between two states of the variables: each place, before and after.
import { useState } from "react"
import { Button } from "../../../kit/button.tsx"
import { Badge, type Tone } from "../../../kit/status.tsx"
import type { Change } from "../difference.ts"

const TONES: Readonly<Record<Change["kind"], Tone>> = { added: "good", changed: "info", removed: "bad" }
/** A list of thousands may have changed in every place. */
const SHOWN = 100

export function changeCount(changes: readonly Change[]): string {
  const kinds = (["added", "changed", "removed"] as const).flatMap((kind) => {
    const count = changes.filter((change) => change.kind === kind).length
    return count === 0 ? [] : [`${count} ${kind}`]
  })
  return kinds.length === 0 ? "nothing changed" : kinds.join(", ")
}

export function ChangeList({ changes }: { readonly changes: readonly Change[] }) {
  const [showsAll, setShowsAll] = useState(false)
  if (changes.length === 0) return <p className="text-muted">It set variables to what they were.</p>
  const shown = showsAll ? changes : changes.slice(0, SHOWN)
  return (
    <>
      <ul aria-label="Changes" className="border-line divide-line divide-y rounded-md border">
        {shown.map((change) => (
          <li key={change.path} className="grid gap-x-3 gap-y-1 px-3 py-2 sm:grid-cols-[12rem_minmax(0,1fr)]">
            <div className="flex min-w-0 items-start gap-2">
              <Badge tone={TONES[change.kind]}>{change.kind}</Badge>
              <code className="min-w-0 text-xs leading-5 break-all">{change.path}</code>
            </div>
            <div className="min-w-0 font-mono text-xs leading-5">
              {change.kind !== "added" && (
                <Value mark="−" label="before" value={change.before} className="bg-bad-soft text-bad" />
              )}
              {change.kind !== "removed" && (
                <Value mark="+" label="after" value={change.after} className="bg-good-soft text-good" />
              )}
            </div>
          </li>
        ))}
      </ul>
      {shown.length < changes.length && (
        <Button className="mt-2" onClick={() => setShowsAll(true)}>
          Show all {changes.length} changes
        </Button>
      )}
    </>
  )
}

interface ValueProps {
  readonly mark: string
  readonly label: string
  readonly value: unknown
  readonly className: string
}

const Value = ({ mark, label, value, className }: ValueProps) => (
  <p className={`flex gap-2 rounded px-1.5 ${className}`}>
    <span aria-hidden="true">{mark}</span>
    <span className="sr-only">{label}</span>
    <span className="max-h-40 min-w-0 overflow-y-auto break-words whitespace-pre-wrap">{shortText(value)}</span>
  </p>
)

const MOST = 5_000

function shortText(value: unknown): string {
  const text = JSON.stringify(value, null, typeof value === "object" ? 1 : 0) ?? "undefined"
  return text.length > MOST ? `${text.slice(0, MOST)}… (${text.length} characters)` : text
}
