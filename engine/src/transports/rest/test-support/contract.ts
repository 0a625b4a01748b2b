// The contract as a judge: is this answer one that contracts/openapi.yaml promises?
import { readFileSync } from "node:fs"
import { Ajv2020, type ErrorObject } from "ajv/dist/2020.js"
import formats from "ajv-formats"
import { parse } from "yaml"
import { closedContract } from "./closed-contract.ts"
import type { Reply } from "./reply.ts"

interface Response {
  readonly $ref?: string
  readonly headers?: Readonly<Record<string, unknown>>
  readonly content?: Readonly<Record<string, unknown>>
}

interface Parameter {
  readonly $ref?: string
  readonly name: string
  readonly in: string
}

export interface Operation {
  readonly operationId: string
  readonly parameters?: readonly Parameter[]
  readonly requestBody?: { readonly content: Readonly<Record<string, { readonly schema: object } | undefined>> }
  readonly responses: Readonly<Record<string, Response>>
}

interface Document {
  readonly info: { readonly description: string }
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>
  readonly components: {
    readonly responses: Readonly<Record<string, Response>>
    readonly schemas: Readonly<Record<string, Readonly<Record<string, unknown>>>>
    readonly parameters: Readonly<Record<string, Parameter>>
  }
}

export interface Contract {
  readonly document: Document
  /** `GET /v1/instances/{instanceId}` for every operation. */
  readonly operations: ReadonlyMap<string, Operation>
  /** The names in the query of an operation, `GET /v1/instances`. */
  queryOf(name: string): readonly string[]
  /** Whether there is such an operation. */
  knows(method: string, path: string): boolean
  /** What is wrong with a value that has this schema. */
  faultsIn(schema: string, value: unknown): readonly string[]
  /** What is wrong with an answer; empty when nothing is. */
  faultsOf(method: string, path: string, reply: Reply): readonly string[]
  /** The same for an operation by its name, `GET /v1/instances`. */
  faultsOfAnswer(name: string, reply: Pick<Reply, "status" | "text" | "body">): readonly string[]
}

const METHODS = ["get", "post", "put", "patch", "delete"]
const pointer = (text: string): string => encodeURIComponent(text.replaceAll("~", "~0").replaceAll("/", "~1"))

let loaded: Contract | undefined

/** Read once by each worker of the tests: it takes a second, and its schemas stay compiled. */
export function loadContract(): Contract {
  loaded ??= readContract()
  return loaded
}

function readContract(): Contract {
  const file = new URL("../../../../../contracts/openapi.yaml", import.meta.url)
  const document = parse(readFileSync(file, "utf8")) as Document
  const ajv = new Ajv2020({ strict: false, allErrors: true })
  formats.default(ajv)
  ajv.addSchema(closedContract(document), "contract")
  const operations = operationsOf(document)
  const find = nameFinder(operations.keys())

  function schemaRef(path: string, method: string, status: string, response: Response): string {
    const base = response.$ref ?? `#/paths/${pointer(path)}/${method}/responses/${status}`
    return `contract${base}/content/${pointer("application/json")}/schema`
  }

  /** Looked up by its reference, so that a schema is compiled once however often it judges. */
  function faults($ref: string, value: unknown): readonly string[] {
    const judge = ajv.getSchema($ref)
    if (!judge) throw new Error(`the contract has no schema ${$ref}`)
    return judge(value) ? [] : (judge.errors ?? []).map(explained)
  }

  function faultsOfAnswer(name: string, reply: Pick<Reply, "status" | "text" | "body">): readonly string[] {
    const [method, template] = name.split(" ") as [string, string]
    const { responses } = operations.get(name)!
    const status = String(reply.status) in responses ? String(reply.status) : "default"
    const response = responses[status]
    if (!response) return [`${name} does not promise ${reply.status}`]
    const content = contentOf(document, response)
    if (!content) return reply.text === "" ? [] : [`${name} ${reply.status} has a body`]
    if (!("application/json" in content)) return []
    const found = faults(schemaRef(template, method.toLowerCase(), status, response), reply.body)
    return found.map((fault) => `${name} ${reply.status} ${fault}`)
  }

  return {
    document,
    operations,
    queryOf: (name) =>
      parametersOf(document, operations.get(name)).flatMap((one) => (one.in === "query" ? one.name : [])),
    knows: (method, path) => find(method, path) !== undefined,
    faultsIn: (schema, value) => faults(`contract#/components/closed/${schema}`, value),
    faultsOf(method, path, reply) {
      const name = find(method, path)
      return name ? faultsOfAnswer(name, reply) : [`${method} ${path} is not in the contract`]
    },
    faultsOfAnswer,
  }
}

const explained = ({ instancePath, message, params }: ErrorObject): string =>
  `${instancePath} ${message}${params.unevaluatedProperty === undefined ? "" : `: ${params.unevaluatedProperty}`}`

function operationsOf(document: Document): Map<string, Operation> {
  return new Map(
    Object.entries(document.paths).flatMap(([path, item]) =>
      METHODS.flatMap((method) => {
        const operation = item[method]
        return operation ? [[`${method.toUpperCase()} ${path}`, operation] as const] : []
      }),
    ),
  )
}

const parametersOf = ({ components }: Document, operation?: Operation): readonly Parameter[] =>
  (operation?.parameters ?? []).map((one) => (one.$ref ? components.parameters[lastOf(one.$ref)]! : one))

const lastOf = (reference: string): string => reference.split("/").at(-1) as string

function contentOf(document: Document, { $ref, content }: Response): Response["content"] {
  return $ref ? document.components.responses[lastOf($ref)]?.content : content
}

/** Finds the name of the operation that a request is for: of the templates that fit, the one with the fewest holes. */
function nameFinder(names: Iterable<string>): (method: string, path: string) => string | undefined {
  const patterns = [...names]
    .sort((a, b) => holes(a) - holes(b))
    .map((name) => [name, new RegExp(`^${name.replaceAll(".", "\\.").replaceAll(/\{\w+\}/g, "[^/]+")}$`)] as const)
  return (method, path) => patterns.find(([, pattern]) => pattern.test(`${method} ${path}`))?.[0]
}

const holes = (name: string): number => name.split("{").length
