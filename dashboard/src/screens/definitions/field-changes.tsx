// Changed fields with what they were and what they are; the steps they belong to.

import { cx } from "../../kit/classes.ts"
import { Words } from "../../kit/cut-text.tsx"
import { jsonText } from "../../kit/json.tsx"
import { Badge, type Tone } from "../../kit/status.tsx"
import type { FieldChange, StepChange } from "./definition-diff.ts"

const TONES: Readonly<Record<StepChange["kind"], Tone>> = { added: "good", removed: "bad", changed: "warn" }

export function StepChanges({ steps }: { readonly steps: readonly StepChange[] }) {
  return (
    <section aria-label="Steps" className="flex flex-col gap-3">
      <h3 className="font-semibold">Steps</h3>
      {steps.map(({ kind, step, changes }) => (
        <article key={step.id} aria-label={step.name} className="flex min-w-0 flex-col gap-1.5">
          <p className="flex flex-wrap items-center gap-2">
            <Badge tone={TONES[kind]}>{kind}</Badge>
            <b className="font-medium">
              <Words text={step.name} />
            </b>
            <code className="text-muted text-xs break-all">{step.id}</code>
          </p>
          {changes.length > 0 && <FieldChanges changes={changes} />}
        </article>
      ))}
    </section>
  )
}

export function FieldChanges({ changes }: { readonly changes: readonly FieldChange[] }) {
  return (
    <dl className="border-line divide-line divide-y rounded-md border">
      {changes.map(({ field, before, after, isOrder }) => (
        <div key={field} className="grid gap-x-3 gap-y-1 px-3 py-2 md:grid-cols-[11rem_minmax(0,1fr)_minmax(0,1fr)]">
          <dt>
            <code className="break-all">{field}</code>
            {isOrder && <span className="text-warn block text-xs">only the order changed</span>}
          </dt>
          <Value label="Before" field={field} value={before} className="bg-bad-soft" />
          <Value label="After" field={field} value={after} className="bg-good-soft" />
        </div>
      ))}
    </dl>
  )
}

interface ValueProps {
  readonly label: string
  readonly field: string
  readonly value: unknown
  readonly className: string
}

const Value = ({ label, field, value, className }: ValueProps) => (
  <dd className={cx("min-w-0 rounded px-2 py-1", value === undefined ? "bg-sunken" : className)}>
    <span className="text-muted block text-xs">{label}</span>
    {value === undefined ? (
      <span className="text-muted text-xs">not set</span>
    ) : (
      <pre className="font-mono text-xs break-words whitespace-pre-wrap">{valueText(field, value)}</pre>
    )}
  </dd>
)

/** Conditions are asked from the top: they are numbered, not keyed. */
function valueText(field: string, value: unknown): string {
  if (field === "conditionalNextSteps" || field === "transformations")
    return Object.entries(value as object)
      .map(
        ([name, target], index) => `${index + 1}. ${name} → ${typeof target === "string" ? target : jsonText(target)}`,
      )
      .join("\n")
  return typeof value === "string" ? value : jsonText(value)
}
