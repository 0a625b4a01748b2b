// One operation of the API: what it is for, what it takes, what it answers, and how to call it from a shell.
import type { ReactNode } from "react"
import type { Body, Contract, Parameter, Response } from "../../api/contract.ts"
import { CopyButton, Json } from "../../kit/json.tsx"
import { Badge, type Tone } from "../../kit/status.tsx"
import { curlOf, jsonOf, type Operation } from "./operations.ts"
import { Line, Prose } from "./prose.tsx"
import { typeText } from "./schema-rows.ts"
import { SchemaView } from "./schema-view.tsx"

interface Props {
  readonly contract: Contract
  readonly operation: Operation
}

export function OperationView({ contract, operation }: Props) {
  const { description, permission, parameters, body, responses } = operation
  const curl = curlOf(operation, location.origin)
  return (
    <div className="flex min-w-0 flex-col gap-4 px-4 pt-2 pb-4">
      {description && <Prose text={description} />}
      {permission && (
        <p>
          A key needs the scope <code>{permission}</code>.
        </p>
      )}
      <Part title="From a shell">
        <div className="bg-sunken relative rounded-md">
          <CopyButton text={curl} label="Copy the curl line" className="absolute top-1 right-1" />
          <pre className="p-2.5 pr-16 font-mono text-xs break-all whitespace-pre-wrap">{curl}</pre>
        </div>
      </Part>
      {parameters.length > 0 && (
        <Part title="Parameters">
          <Parameters contract={contract} parameters={parameters} />
        </Part>
      )}
      {body && (
        <Part title={body.required ? "Body" : "Body, optional"}>
          <ContentView contract={contract} content={body} label="example of the body" />
        </Part>
      )}
      <Part title="Answers">
        <ul className="flex flex-col gap-2">
          {responses.map(([status, response]) => (
            <Answer key={status} contract={contract} status={status} response={response} />
          ))}
        </ul>
      </Part>
    </div>
  )
}

const Part = ({ title, children }: { readonly title: string; readonly children: ReactNode }) => (
  <section className="min-w-0">
    <h4 className="text-muted mb-1 text-xs font-semibold">{title}</h4>
    {children}
  </section>
)

const Parameters = ({
  contract,
  parameters,
}: {
  readonly contract: Contract
  readonly parameters: readonly Parameter[]
}) => (
  <ul className="border-line divide-line divide-y rounded-md border">
    {parameters.map(({ name, in: place, required, description, schema = {} }) => (
      <li key={`${place} ${name}`} className="grid gap-x-3 gap-y-0.5 px-3 py-1.5 sm:grid-cols-[12rem_minmax(0,1fr)]">
        <p className="min-w-0">
          <code className="break-all">{name}</code>
          <span className="text-muted text-xs">
            {" "}
            {place}
            {required && <span className="text-bad"> required</span>}
          </span>
        </p>
        <div className="min-w-0">
          <code className="text-info block text-xs leading-5 break-words">{typeText(contract, schema)}</code>
          {description && (
            <p className="text-muted text-xs">
              <Line text={description} />
            </p>
          )}
        </div>
      </li>
    ))}
  </ul>
)

const toneOf = (status: string): Tone => (status.startsWith("2") ? "good" : status.startsWith("3") ? "info" : "calm")

/** What goes well is open; refusals are all alike. */
function Answer({
  contract,
  status,
  response,
}: {
  readonly contract: Contract
  readonly status: string
  readonly response: Response
}) {
  const isGood = status.startsWith("2")
  const head = (
    <>
      <Badge tone={toneOf(status)}>{status === "default" ? "others" : status}</Badge>{" "}
      <Line text={response.description ?? ""} />
    </>
  )
  if (!jsonOf(response)) return <li>{head}</li>
  return (
    <li>
      <details open={isGood}>
        <summary>{head}</summary>
        <div className="mt-2">
          <ContentView contract={contract} content={response} label={`example of ${status}`} />
        </div>
      </details>
    </li>
  )
}

function ContentView({
  contract,
  content,
  label,
}: {
  readonly contract: Contract
  readonly content: Body | Response
  readonly label: string
}) {
  const { schema, example } = jsonOf(content) ?? {}
  return (
    <div className="flex min-w-0 flex-col gap-2">
      {schema && <SchemaView contract={contract} schema={schema} />}
      {example !== undefined &&
        (typeof example === "string" ? <Text text={example} /> : <Json value={example} label={label} />)}
    </div>
  )
}

const Text = ({ text }: { readonly text: string }) => (
  <pre className="bg-sunken overflow-x-auto rounded-md p-2.5 font-mono text-xs" tabIndex={0}>
    {text}
  </pre>
)
