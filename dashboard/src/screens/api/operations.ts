// The contract as a list of operations in groups, with every reference followed; what fits a search; a line for the shell.
import type { Body, Contract, Parameter, RawOperation, Response } from "../../api/contract.ts"

export interface Operation {
  readonly id: string
  readonly method: string
  readonly path: string
  readonly summary: string
  readonly description: string | undefined
  readonly permission: string | undefined
  readonly parameters: readonly Parameter[]
  readonly body: Body | undefined
  readonly responses: readonly (readonly [status: string, response: Response])[]
}

export interface Group {
  readonly name: string
  readonly description: string | undefined
  readonly operations: readonly Operation[]
}

const METHODS = ["get", "post", "put", "patch", "delete"] as const

/** By tag, in the contract's order; what has no tag goes by the first part of its path. */
export function groupsOf(contract: Contract): Group[] {
  const all = Object.entries(contract.paths).flatMap(([path, item]) =>
    METHODS.flatMap((method) => (item[method] ? [readOperation(contract, path, method)] : [])),
  )
  const named = new Map((contract.tags ?? []).map(({ name, description }) => [name, description]))
  const names = new Set([...named.keys(), ...all.map(({ group }) => group)])
  return [...names]
    .map((name) => ({
      name,
      description: named.get(name),
      operations: all.filter(({ group }) => group === name).map(({ operation }) => operation),
    }))
    .filter(({ operations }) => operations.length > 0)
}

function readOperation(contract: Contract, path: string, method: (typeof METHODS)[number]) {
  const item = contract.paths[path] ?? {}
  const raw = item[method] as RawOperation
  const shared = (item.parameters as readonly Parameter[] | undefined) ?? []
  const operation: Operation = {
    id: raw.operationId,
    method: method.toUpperCase(),
    path,
    summary: raw.summary ?? "",
    description: raw.description,
    permission: raw["x-permission"],
    parameters: [...shared, ...(raw.parameters ?? [])].map((parameter) => follow(contract, parameter)),
    body: raw.requestBody && follow(contract, raw.requestBody),
    responses: Object.entries(raw.responses ?? {}).map(([status, response]) => [status, follow(contract, response)]),
  }
  return { group: raw.tags?.[0] ?? path.split("/")[1] ?? "", operation }
}

/** What stands where the reference leads, and so on; what leads nowhere stays. */
export function follow<T extends { readonly $ref?: string }>(contract: Contract, node: T, hops = 10): T {
  const [, kind, name] = /^#\/components\/([^/]+)\/(.+)$/.exec(node.$ref ?? "") ?? []
  const found = kind && name && (contract.components?.[kind]?.[name] as T | undefined)
  return found && hops > 0 ? follow(contract, found, hops - 1) : node
}

/** Groups with the operations that have every word somewhere. */
export function find(groups: readonly Group[], text: string): Group[] {
  const words = text.toLowerCase().split(/\s+/).filter(Boolean)
  return groups
    .map((group) => ({
      ...group,
      operations: group.operations.filter(({ id, method, path, summary }) => {
        const all = `${group.name} ${method} ${path} ${summary} ${id}`.toLowerCase()
        return words.every((word) => all.includes(word))
      }),
    }))
    .filter(({ operations }) => operations.length > 0)
}

export const jsonOf = ({ content = {} }: Body | Response) => content["application/json"] ?? Object.values(content)[0]

/** With the contract's own examples; what has none is left to be filled in. */
export function curlOf({ method, path, parameters, body }: Operation, origin: string): string {
  const needed = parameters.filter(({ required }) => required)
  const filled = needed
    .filter((parameter) => parameter.in === "path")
    .reduce((url, { name, example }) => url.replace(`{${name}}`, () => exampleText(example) ?? `{${name}}`), path)
  const query = needed
    .filter((parameter) => parameter.in === "query")
    .map(({ name, example }) => `${name}=${exampleText(example) ?? ""}`)
    .join("&")
  const headers = needed
    .filter((parameter) => parameter.in === "header")
    .map(({ name, example }) => `-H ${quoted(`${name.toLowerCase()}: ${example ?? "…"}`)}`)
  const example = body && jsonOf(body)?.example
  return [
    "curl -s",
    ...(method === "GET" ? [] : [`-X ${method}`]),
    quotedUrl(`${origin}${filled}${query === "" ? "" : `?${query}`}`),
    ...headers,
    ...(body ? [`-H 'content-type: application/json'`, `-d ${quoted(JSON.stringify(example ?? {}))}`] : []),
  ].join(" ")
}

const exampleText = (example: unknown): string | undefined =>
  example === undefined ? undefined : encodeURIComponent(String(example))

const quoted = (text: string): string => `'${text.replaceAll("'", "'\\''")}'`

const quotedUrl = (url: string): string => (/^[\w:/.-]+$/.test(url) ? url : quoted(url))
