import { readFileSync } from "node:fs"
import { describe, expect, test } from "vitest"
import { parse } from "yaml"
import type { Contract } from "../../api/contract.ts"
import { curlOf, find, groupsOf } from "./operations.ts"
import { rowsOf, typeText } from "./schema-rows.ts"

const contract = parse(
  readFileSync(new URL("../../../../contracts/openapi.yaml", import.meta.url), "utf8"),
) as unknown as Contract

const groups = groupsOf(contract)
const operation = (id: string) => {
  const found = groups.flatMap(({ operations }) => operations).find((one) => one.id === id)
  if (!found) throw new Error(`there is no ${id}`)
  return found
}

describe("the contract of the engine", () => {
  test("every operation is in one group, by the tags' order", () => {
    const methods = ["get", "post", "put", "patch", "delete"]
    const all = Object.values(contract.paths).flatMap((item) => methods.filter((method) => method in item))
    expect(groups.flatMap(({ operations }) => operations)).toHaveLength(all.length)
    expect(groups[0]?.name).toBe("Definitions")
  })

  test("references are followed: parameters, answers and schemas have their names and types", () => {
    const { parameters, responses } = operation("getDefinition")
    expect(parameters.map(({ name }) => name)).toEqual(["definitionId"])
    expect(responses.every(([, { description }]) => description)).toBe(true)
    const shown = groups.flatMap(({ operations }) =>
      operations.flatMap(({ parameters }) => parameters.map(({ schema = {} }) => typeText(contract, schema))),
    )
    expect(shown.filter((type) => type === "any")).toEqual([])
  })

  test("a schema is a table: what is required, of which type, what can be opened", () => {
    const schema = { $ref: "#/components/schemas/Definition" }
    const rows = rowsOf(contract, schema)
    expect(rows.find(({ name }) => name === "id")).toMatchObject({ type: "string", isRequired: true })
    const steps = rows.find(({ name }) => name === "steps")
    expect(steps?.type).toContain("list of ServiceTask | UserTaskStep")
    expect(steps?.inner.map(({ name }) => name)).toContain("Decision")
    expect(rows.find(({ name }) => name === "priority")?.type).toBe('"critical" | "high" | "normal"')
  })
})

test("a search finds what has every word somewhere", () => {
  const paths = (text: string) => find(groups, text).flatMap(({ operations }) => operations.map(({ id }) => id))
  expect(paths("POST start instance")).toContain("startInstance")
  expect(paths("/v1/definitions upload")).toEqual(["uploadDefinition"])
  expect(paths("no such thing")).toEqual([])
})

test("the line for the shell has the examples, and survives a quote in them", () => {
  expect(curlOf(operation("startInstance"), "http://127.0.0.1:8080")).toBe(
    `curl -s -X POST http://127.0.0.1:8080/v1/instances -H 'content-type: application/json' -d '{"definitionId":"order","variables":{"amount":4200},"businessKey":"order-1001"}'`,
  )
  const quote = { ...operation("startInstance"), body: { content: { "application/json": { example: { a: "it's" } } } } }
  expect(curlOf(quote, "http://x")).toContain(`-d '{"a":"it'\\''s"}'`)
  expect(curlOf(operation("getInstance"), "http://x")).toMatch(/^curl -s http:\/\/x\/v1\/instances\/\w{26}$/)
})
