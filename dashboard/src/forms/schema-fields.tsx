// The fields of one object of a schema: one per property, groups within groups.
import { child } from "../../../engine/src/model/definitions/json-path.ts"
import type { Violation } from "../api/http.ts"
import { AreaField, SelectField, TextField } from "../kit/fields/fields.tsx"
import { isWithin } from "./check.ts"
import { choicesOf, fieldKind, itemsOf, propertiesOf, recordOf, requiredOf, textOf } from "./field-kind.ts"
import type { JsonSchema } from "./json-schema.ts"
import { JsonField, ListField, NumberField, type ValueProps, YesNoField } from "./value-fields.tsx"

interface Props {
  readonly schema: JsonSchema
  readonly value: Readonly<Record<string, unknown>>
  readonly onChange: (value: Record<string, unknown>) => void
  readonly path: string
  readonly errors: readonly Violation[]
}

export function SchemaFields({ schema, value, onChange, path, errors }: Props) {
  const required = requiredOf(schema)
  /** What is left empty is left out. */
  const change = (name: string, next: unknown) => {
    const { [name]: _before, ...rest } = value
    onChange(next === undefined ? rest : { ...value, [name]: next })
  }
  return Object.entries(propertiesOf(schema)).map(([name, property]) => (
    <SchemaField
      key={name}
      name={name}
      schema={property}
      isRequired={required.includes(name)}
      value={Object.hasOwn(value, name) ? value[name] : undefined}
      onChange={(next) => change(name, next)}
      path={child(path, name)}
      errors={errors}
    />
  ))
}

interface FieldProps {
  readonly name: string
  readonly schema: JsonSchema
  readonly isRequired: boolean
  readonly value: unknown
  readonly onChange: (value: unknown) => void
  readonly path: string
  readonly errors: readonly Violation[]
}

function SchemaField(props: FieldProps) {
  const { name, schema, isRequired, value, onChange, path, errors } = props
  const kind = fieldKind(schema)
  const title = textOf(schema, "title") ?? name
  const label = isRequired ? <RequiredLabel title={title} /> : title
  const fault = errors.find((one) => (kind === "json" ? isWithin(one.path, path) : one.path === path))
  const error = fault && `${title} ${faultText(fault, kind, value)}`
  const look = { label, hint: textOf(schema, "description"), error, isRequired, value, onChange }
  switch (kind) {
    case "group":
      return (
        <fieldset className="border-line flex min-w-0 flex-col gap-3 rounded-md border px-3 pt-1 pb-3">
          <legend className="text-muted px-1 text-xs font-medium">{label}</legend>
          {look.hint && <p className="text-muted text-xs">{look.hint}</p>}
          {error && <p className="text-bad text-xs">{error}</p>}
          <SchemaFields schema={schema} value={recordOf(value)} onChange={onChange} path={path} errors={errors} />
        </fieldset>
      )
    case "list":
      return (
        <ListField
          {...look}
          title={title}
          renderItem={(index, item, onItem) => (
            <SchemaField
              name={`${title} ${index + 1}`}
              schema={itemsOf(schema)}
              isRequired={false}
              value={item}
              onChange={onItem}
              path={child(path, index)}
              errors={errors}
            />
          )}
        />
      )
    case "boolean":
      return <YesNoField {...look} />
    case "number":
    case "integer":
      return <NumberField {...look} isWhole={kind === "integer"} />
    case "choice":
      return <ChoiceField {...look} choices={choicesOf(schema)} />
    case "json":
      return <JsonField {...look} />
    default:
      return <LineField {...look} kind={kind} />
  }
}

/** Who typed letters for a number knows that they are letters. */
function faultText({ message }: Violation, kind: string, value: unknown): string {
  if (typeof value !== "string" || (kind !== "number" && kind !== "integer")) return message
  return kind === "integer" ? "must be a whole number" : "must be a number, such as 12.5"
}

const RequiredLabel = ({ title }: { readonly title: string }) => (
  <>
    {title}
    <span aria-hidden="true" className="text-bad">
      {" *"}
    </span>
  </>
)

function LineField({ isRequired, kind, value, onChange, ...look }: ValueProps & { readonly kind: string }) {
  const text = value === undefined ? "" : typeof value === "string" ? value : JSON.stringify(value)
  const wired = {
    ...look,
    value: text,
    "aria-required": isRequired,
    onChange: (event: { target: { value: string } }) =>
      onChange(event.target.value === "" ? undefined : event.target.value),
  }
  if (kind === "long-text") return <AreaField {...wired} rows={4} className="font-sans text-sm" />
  return <TextField {...wired} type={kind === "text" ? "text" : kind} />
}

function ChoiceField({
  isRequired,
  choices,
  value,
  onChange,
  ...look
}: ValueProps & { readonly choices: readonly (string | number)[] }) {
  const at = choices.indexOf(value as string)
  return (
    <SelectField
      {...look}
      aria-required={isRequired}
      value={at}
      onChange={(event) => onChange(choices[Number(event.target.value)])}
    >
      <option value={-1}>{isRequired ? "Choose…" : "Not set"}</option>
      {choices.map((choice, index) => (
        <option key={choice} value={index}>
          {choice}
        </option>
      ))}
    </SelectField>
  )
}
