// The operations of the contract, as the fuzzer chooses and fills them.
import type { Contract } from "../../../../engine/dist/transports/rest/test-support/contract.js"
import type { Schema } from "../values/schema-values.ts"

export interface Parameter {
  readonly name: string
  readonly in: "path" | "query" | "header"
  readonly required?: boolean
  readonly schema: Schema
}

export interface RestOperation {
  /** `POST /v1/instances`, as the contract names it. */
  readonly name: string
  readonly id: string
  readonly method: string
  readonly path: string
  readonly parameters: readonly Parameter[]
  readonly body: Schema | undefined
  readonly weight: number
}

/** What makes and moves work is called more often, what hashes passwords seldom. */
const WEIGHTS: readonly (readonly [RegExp, number])[] = [
  [/^POST \/v1\/(definitions|instances)$|^POST \/jobs$/, 8],
  [/^POST \/v1\/jobs\/(poll|exchange)$/, 8],
  [/^POST \/v1\/jobs\//, 4],
  [/\/v1\/instances\/|\/v1\/user-tasks|\/queues\/dlq|\/v1\/schedules|\/v1\/events/, 2],
  [/\/auth\//, 0.15],
  [/ \/(docs|ui|healthz|openapi.json)?$|\/ui\//, 0.3],
]

type Raw = Readonly<Record<string, unknown>>

export function restOperations({ document, operations }: Contract): RestOperation[] {
  return [...operations].map(([name, operation]) => {
    const [method, path] = name.split(" ") as [string, string]
    const shared = (document.paths[path] as { parameters?: readonly Raw[] } | undefined)?.parameters ?? []
    const own = (operation.parameters ?? []) as unknown as readonly Raw[]
    const body = operation.requestBody?.content["application/json"]?.schema as Schema | undefined
    return {
      name,
      id: operation.operationId,
      method,
      path,
      parameters: [...shared, ...own].map((one) => resolved(document.components.parameters, one)),
      body,
      weight: WEIGHTS.find(([pattern]) => pattern.test(name))?.[1] ?? 1,
    }
  })
}

function resolved(known: Readonly<Record<string, unknown>>, { $ref, ...parameter }: Raw): Parameter {
  return (typeof $ref === "string" ? known[$ref.split("/").at(-1)!] : parameter) as Parameter
}
