// The catalogue in code and the one in contracts/ are the same.
import { readFileSync } from "node:fs"
import { expect, test } from "vitest"
import { parse } from "yaml"
import { EngineError, type ErrorCode, errorCatalogue } from "./errors.ts"

interface Published {
  readonly status: number
  readonly grpc: string
  readonly retryable: boolean
  readonly advice: string
}

const published = parse(readFileSync(new URL("../../../contracts/errors.yaml", import.meta.url), "utf8")) as Record<
  string,
  Published
>

test("C-32: contracts/errors.yaml has every code, with the same status, retryable and advice", () => {
  const spoken = Object.fromEntries(Object.entries(published).map(([code, { grpc: _, ...entry }]) => [code, entry]))
  expect(spoken).toEqual(errorCatalogue)
})

test("C-32, C-39: every code is kebab-case, with a gRPC status", () => {
  for (const [code, { grpc }] of Object.entries(published)) {
    expect(code).toMatch(/^[a-z]+(-[a-z]+)*$/)
    expect(GRPC_STATUSES, code).toContain(grpc)
  }
})

test("C-32: an error knows the status of its code", () => {
  for (const [code, { status }] of Object.entries(published))
    expect(new EngineError(code as ErrorCode, "why").status, code).toBe(status)
})

const GRPC_STATUSES = [
  "INVALID_ARGUMENT",
  "NOT_FOUND",
  "FAILED_PRECONDITION",
  "ALREADY_EXISTS",
  "UNAUTHENTICATED",
  "PERMISSION_DENIED",
  "RESOURCE_EXHAUSTED",
  "UNIMPLEMENTED",
  "UNAVAILABLE",
  "INTERNAL",
]
