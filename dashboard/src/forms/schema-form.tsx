// A form made from a JSON Schema, with the same values as JSON for those who prefer it and for what cannot be drawn.
import { useState } from "react"
import { child } from "../../../engine/src/model/definitions/json-path.ts"
import type { Violation } from "../api/http.ts"
import { Button } from "../kit/button.tsx"
import { jsonText, parseJson } from "../kit/json.tsx"
import { isWithin, VARIABLES } from "./check.ts"
import { propertiesOf, recordOf } from "./field-kind.ts"
import { JsonEditor } from "./json-editor.tsx"
import type { JsonSchema } from "./json-schema.ts"
import { SchemaFields } from "./schema-fields.tsx"

interface Props {
  readonly schema: JsonSchema
  readonly value: Readonly<Record<string, unknown>>
  readonly onChange: (value: Record<string, unknown>) => void
  /** Violations from `checkValue` or from the engine. In both, paths begin with `$.variables`. */
  readonly errors?: readonly Violation[]
}

export function SchemaForm({ schema, value, onChange, errors = [] }: Props) {
  const names = Object.keys(propertiesOf(schema))
  const [asJson, setAsJson] = useState(false)
  if (names.length === 0) return <JsonValues value={value} onChange={onChange} errors={errors} />
  return (
    <div className="flex min-w-0 flex-col gap-3">
      {asJson ? (
        <JsonValues value={value} onChange={onChange} errors={errors} />
      ) : (
        <>
          <SchemaFields schema={schema} value={value} onChange={onChange} path={VARIABLES} errors={errors} />
          <Elsewhere errors={errors.filter(({ path }) => !isOfOne(names, path))} />
        </>
      )}
      <Button look="quiet" className="-ml-3 self-start text-xs" onClick={() => setAsJson(!asJson)}>
        {asJson ? "Back to the form" : "Edit as JSON"}
      </Button>
    </div>
  )
}

const isOfOne = (names: readonly string[], path: string): boolean =>
  names.some((name) => isWithin(path, child(VARIABLES, name)))

function Elsewhere({ errors }: { readonly errors: readonly Violation[] }) {
  if (errors.length === 0) return null
  return (
    <ul className="text-bad list-disc pl-5 text-xs">
      {errors.map(({ path, message }) => (
        <li key={path + message}>
          <code>{path}</code> {message}
        </li>
      ))}
    </ul>
  )
}

/** What is typed is the value as soon as it is a JSON object; until then the form around it cannot be sent. */
function JsonValues({ value, onChange, errors = [] }: Omit<Props, "schema">) {
  const [text, setText] = useState(() => jsonText(value))
  const change = (next: string) => {
    setText(next)
    const { value, error } = parseJson(next)
    if (error === undefined && isObject(value)) onChange({ ...recordOf(value) })
  }
  const parsed = parseJson(text)
  const isOther = parsed.error === undefined && !isObject(parsed.value)
  return (
    <JsonEditor
      label="Variables, as JSON"
      value={text}
      onChange={change}
      marks={errors.map((error) => ({ ...error, path: error.path.replace(VARIABLES, "$") }))}
      refusal={isOther ? "must be an object: { … }" : undefined}
      minLines={6}
    />
  )
}

const isObject = (value: unknown): boolean => typeof value === "object" && value !== null && !Array.isArray(value)
