// A schema as a small table; what is inside an entry opens when it is wanted.
import { useState } from "react"
import type { Contract, Schema } from "../../api/contract.ts"
import { Line } from "./prose.tsx"
import { type Inner, innerOf, merged, type Row, rowsOf, typeText } from "./schema-rows.ts"

interface Props {
  readonly contract: Contract
  readonly schema: Schema
}

export function SchemaView({ contract, schema }: Props) {
  const found = merged(contract, schema)
  const isFlat = found.type === "array" || found.oneOf !== undefined || found.anyOf !== undefined
  if (isFlat || rowsOf(contract, schema).length === 0)
    return (
      <div>
        <code>{typeText(contract, schema)}</code>
        <InnerViews contract={contract} inner={innerOf(contract, schema)} />
      </div>
    )
  return <Rows contract={contract} rows={rowsOf(contract, schema)} />
}

const Rows = ({ contract, rows }: { readonly contract: Contract; readonly rows: readonly Row[] }) => (
  <ul className="border-line divide-line divide-y rounded-md border">
    {rows.map(({ name, type, isRequired, note, inner }) => (
      <li key={name} className="grid gap-x-3 gap-y-0.5 px-3 py-1.5 sm:grid-cols-[12rem_minmax(0,1fr)]">
        <p className="min-w-0">
          <code className="break-all">{name}</code>
          {isRequired && <span className="text-bad text-xs"> required</span>}
        </p>
        <div className="min-w-0">
          <code className="text-info block text-xs leading-5 break-words">{type}</code>
          {note && (
            <p className="text-muted text-xs">
              <Line text={note} />
            </p>
          )}
          <InnerViews contract={contract} inner={inner} />
        </div>
      </li>
    ))}
  </ul>
)

const InnerViews = ({ contract, inner }: { readonly contract: Contract; readonly inner: readonly Inner[] }) =>
  inner.map((one) => <InnerView key={one.name} contract={contract} {...one} />)

/** Made when it is opened: schemas may contain themselves. */
function InnerView({ contract, name, schema }: Inner & { readonly contract: Contract }) {
  const [isOpen, setIsOpen] = useState(false)
  return (
    <details className="mt-1" onToggle={(event) => setIsOpen(event.currentTarget.open)}>
      <summary className="text-muted text-xs">{name}</summary>
      {isOpen && (
        <div className="mt-1">
          <SchemaView contract={contract} schema={schema} />
        </div>
      )}
    </details>
  )
}
