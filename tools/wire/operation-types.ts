// What each operation of the contract takes and answers, as TypeScript.
import { type Body, type Contract, nameOf, type Parameter, type Route, routesOf } from "./schema.ts"
import { fieldOf, typeOf } from "./schema-types.ts"

/** One interface per query, and one that has every operation by its id. */
export function operationTypes(contract: Contract): string {
  const routes = routesOf(contract)
  const queries = routes.filter((route) => queryOf(route).length > 0).map(queryType)
  const operations = routes.map((route) => operationType(route, contract))
  return `${queries.join("\n\n")}

/** Every operation by its id: the parts of its path, its query, its body, and what it answers when all went well. */
export interface Operations {
${operations.join("\n")}
}`
}

const queryOf = ({ parameters }: Route): readonly Parameter[] => parameters.filter((one) => one.in === "query")
const queryName = ({ operation }: Route): string =>
  `${operation.operationId[0]!.toUpperCase()}${operation.operationId.slice(1)}Query`

const queryType = (route: Route): string =>
  `/** The query of ${route.method} ${route.path}. */\nexport interface ${queryName(route)} {\n${fields(queryOf(route))}\n}`

const fields = (parameters: readonly Parameter[]): string =>
  parameters
    .map(({ name, description = "", required = false, schema }) =>
      fieldOf({ name, schema: { ...schema, description }, required }),
    )
    .join("\n")

const pathField = ({ name, schema }: Parameter): string => `readonly ${name}: ${typeOf(schema)}`

function operationType(route: Route, contract: Contract): string {
  const { operation, method, path } = route
  const inPath = route.parameters.filter((one) => one.in === "path")
  const parts = [
    inPath.length > 0 ? `readonly path: { ${inPath.map(pathField).join("; ")} }` : "",
    queryOf(route).length > 0 ? `readonly query: ${queryName(route)}` : "",
    operation.requestBody === undefined ? "" : bodyType(operation.requestBody),
    `readonly answer: ${answerType(operation.responses, contract)}`,
  ]
  return `/** ${method} ${path}: ${operation.summary} */\nreadonly ${operation.operationId}: {\n${parts.filter(Boolean).join("\n")}\n}`
}

const bodyType = (body: Body): string => `readonly body${body.required ? "" : "?"}: ${contentType(body)}`

function answerType(responses: Readonly<Record<string, Body>>, contract: Contract): string {
  const good = Object.entries(responses).filter(([status]) => status.startsWith("2"))
  const types = good.map(([, body]) =>
    contentType(body.$ref === undefined ? body : contract.components.responses[nameOf(body.$ref)]!),
  )
  return [...new Set(types)].join(" | ") || "void"
}

/** What is not JSON is handed on as text. */
function contentType({ content = {} }: Body): string {
  const json = content["application/json"]?.schema
  if (json !== undefined) return typeOf(json)
  return Object.keys(content).length === 0 ? "void" : "string"
}
