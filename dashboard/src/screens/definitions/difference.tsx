// The difference between two versions: in words by step and field, and line by line.
import { useQuery } from "@tanstack/react-query"
import { useMemo } from "react"
import { type Definition, type DefinitionVersion, definitionQuery } from "../../api/definitions.ts"
import { SelectField } from "../../kit/fields/fields.tsx"
import { Empty, Loaded } from "../../kit/states.tsx"
import { type DefinitionDiff, diffDefinitions } from "./definition-diff.ts"
import { FieldChanges, StepChanges } from "./field-changes.tsx"
import { LineDiff } from "./line-diff-view.tsx"

interface Props {
  readonly definition: Definition
  readonly versions: readonly DefinitionVersion[]
  readonly against: number | undefined
  readonly onAgainst: (version: number) => void
}

/** Held against the version before it, unless another is chosen. */
export function Difference({ definition, versions, against, onAgainst }: Props) {
  const others = versions.filter(({ version }) => version !== definition.version)
  const chosen = against ?? others.find(({ version }) => version < definition.version)?.version ?? others[0]?.version
  if (chosen === undefined)
    return (
      <Empty title="There is only this version.">What another version changes will be shown here, step by step.</Empty>
    )
  return (
    <div className="flex flex-col gap-4 p-4">
      <div className="w-56">
        <SelectField
          label={`Version ${definition.version} held against`}
          value={chosen}
          onChange={(event) => onAgainst(Number(event.target.value))}
        >
          {others.map(({ version }) => (
            <option key={version} value={version}>
              Version {version}
            </option>
          ))}
        </SelectField>
      </div>
      <Compared definition={definition} against={chosen} />
    </div>
  )
}

function Compared({ definition, against }: { readonly definition: Definition; readonly against: number }) {
  const query = useQuery(definitionQuery(definition.id, against))
  return <Loaded query={query}>{(other) => <Pair one={definition} other={other} />}</Loaded>
}

function Pair({ one, other }: { readonly one: Definition; readonly other: Definition }) {
  const [before, after] = one.version > other.version ? [other, one] : [one, other]
  const diff = useMemo(() => diffDefinitions(before, after), [before, after])
  return (
    <>
      <p>
        <b>
          From version {before.version} to {after.version}:
        </b>{" "}
        {summary(diff)}
      </p>
      {diff.fields.length > 0 && (
        <section aria-label="The definition itself">
          <h3 className="mb-1 font-semibold">The definition itself</h3>
          <FieldChanges changes={diff.fields} />
        </section>
      )}
      {diff.steps.length > 0 && <StepChanges steps={diff.steps} />}
      <LineDiff before={before} after={after} />
    </>
  )
}

function summary({ fields, steps, entry, isReordered }: DefinitionDiff): string {
  const number = (kind: string) => steps.filter((step) => step.kind === kind).length
  const parts = [
    ...(["added", "removed", "changed"] as const).flatMap((kind) =>
      number(kind) > 0 ? [`${number(kind)} ${number(kind) === 1 ? "step" : "steps"} ${kind}`] : [],
    ),
    ...(fields.length > 0 ? [`${fields.map(({ field }) => field).join(", ")} changed`] : []),
    ...(entry ? [`instances begin at ${entry.after}, no longer at ${entry.before}`] : []),
    ...(isReordered && !entry ? ["the steps stand in another order"] : []),
  ]
  return parts.length === 0 ? "nothing that matters." : `${parts.join(" · ")}.`
}
