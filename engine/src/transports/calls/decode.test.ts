import { describe, expect, test } from "vitest"
import { EngineError } from "../../support/errors.ts"
import type { JsonValue } from "../../support/json.ts"
import { decode, decodeQueue } from "./decode.ts"
import type { Fields } from "./fields.ts"

const body = <T>(value: JsonValue | undefined, read: (fields: Fields) => T): T =>
  decode({ body: value, query: {} }, ({ body }) => read(body))

const query = <T>(value: Record<string, unknown>, read: (fields: Fields) => T): T =>
  decode({ body: undefined, query: value }, ({ query }) => read(query))

function refusal(run: () => unknown): EngineError {
  try {
    run()
  } catch (error) {
    if (error instanceof EngineError) return error
    throw error
  }
  throw new Error("it was accepted")
}

const pathsOf = (run: () => unknown) => refusal(run).details?.map(({ path, message }) => `${path} ${message}`)

describe("the fields of a request", () => {
  test("C-32: every violation of a request is told at once, with its path and a hint", () => {
    const error = refusal(() =>
      body({ workerId: 7, jobTypes: [], retryable: "yes" }, (fields) => ({
        workerId: fields.text("workerId"),
        jobTypes: fields.words("jobTypes", { min: 1, max: 9 }),
        retryable: fields.optionalFlag("retryable"),
        message: fields.longText("errorMessage", 10),
      })),
    )
    expect(error.code).toBe("bad-request")
    expect(error.details?.map(({ path }) => path)).toEqual([
      "$.workerId",
      "$.jobTypes",
      "$.retryable",
      "$.errorMessage",
    ])
    for (const violation of error.details ?? []) expect(violation.hint).toBeTruthy()
    expect(error.message).toBe("$.workerId must be a string, and 3 more")
  })

  test("unknown fields are ignored, and null is absent", () => {
    const read = body({ role: "admin", businessKey: null, variables: null }, (fields) => ({
      businessKey: fields.optionalText("businessKey"),
      variables: fields.object("variables"),
    }))
    expect(read).toEqual({ businessKey: undefined, variables: undefined })
  })

  test("W-06: an unknown field is named with its place and the closest name that was asked for", () => {
    const warnings: string[] = []
    const sent = { busnessKey: "a", filter: { pri0rity: 1, zzz: 1 }, jobs: [{ id: "j", tpye: "x" }], "odd name": 1 }
    decode({ body: sent, query: { pagesize: "1" }, warnings }, ({ body, query }) => {
      body.optionalText("businessKey")
      body.within("filter")?.optionalText("priority")
      body.each("jobs", 9, (job) => [job.text("id"), job.optionalText("type")])
      query.optionalText("pageSize")
    })
    expect(warnings).toEqual([
      "$.busnessKey is not known here and was ignored; did you mean businessKey?",
      '$["odd name"] is not known here and was ignored',
      "query.pagesize is not known here and was ignored; did you mean pageSize?",
      "$.filter.pri0rity is not known here and was ignored; did you mean priority?",
      "$.filter.zzz is not known here and was ignored",
      "$.jobs[0].tpye is not known here and was ignored; did you mean type?",
    ])
  })

  test("W-06: there are at most ten warnings, also of a body that is refused", () => {
    const warnings: string[] = []
    const sent = Object.fromEntries(Array.from({ length: 30 }, (_, n) => [`x${n}`, n]))
    const run = () => decode({ body: sent, query: {}, warnings }, ({ body }) => body.text("workerId"))
    expect(pathsOf(run)).toEqual(["$.workerId is required"])
    expect(warnings).toHaveLength(10)
  })

  test("W-06: a map of the caller's own has no unknown fields", () => {
    const warnings: string[] = []
    const sent = { payload: { type: "a", anything: 1 }, variables: { any: 1 } }
    decode({ body: sent, query: {}, warnings }, ({ body }) => [
      body.within("payload", { isOpen: true })?.text("type"),
      body.object("variables"),
    ])
    expect(warnings).toEqual([])
  })

  test("inherited names are not fields", () => {
    expect(body({}, (fields) => fields.optionalText("toString"))).toBeUndefined()
  })

  test("text is bounded in bytes, not in characters", () => {
    expect(body({ key: "a".repeat(200) }, (fields) => fields.text("key"))).toHaveLength(200)
    expect(pathsOf(() => body({ key: "a".repeat(201) }, (fields) => fields.text("key")))).toEqual([
      "$.key is longer than 200 bytes",
    ])
    expect(pathsOf(() => body({ key: "é".repeat(101) }, (fields) => fields.text("key")))).toEqual([
      "$.key is longer than 200 bytes",
    ])
    expect(pathsOf(() => body({ key: "x".repeat(10_000) }, (fields) => fields.text("key")))).toHaveLength(1)
  })

  test.each([[""], [[]], [{}], [true], [1]])("%j is not a name", (value) => {
    expect(pathsOf(() => body({ key: value as JsonValue }, (fields) => fields.text("key")))).toHaveLength(1)
  })

  test.each([["\0"], ["\ud800"]])("text that PostgreSQL cannot hold is refused: %j", (value) => {
    expect(pathsOf(() => query({ key: value }, (fields) => fields.optionalText("key")))).toEqual([
      "query.key has characters that cannot be stored",
    ])
  })

  test("a message that is too long is cut, not refused", () => {
    expect(body({ errorMessage: "abcdef" }, (fields) => fields.longText("errorMessage", 3))).toBe("abc…")
    expect(body({ errorMessage: "" }, (fields) => fields.longText("errorMessage", 3))).toBe("")
    expect(
      body({ errorMessage: "ab\ud83d\ude00" }, (fields) => fields.longText("errorMessage", 3)).isWellFormed(),
    ).toBe(true)
  })

  test("a field has one value under all its names", () => {
    const read = (fields: Fields) => fields.object(["variables", "variablesToSet"])
    expect(body({ variablesToSet: { a: 1 } }, read)).toEqual({ a: 1 })
    expect(pathsOf(() => body({ variables: {}, variablesToSet: {} }, read))).toEqual([
      "$.variablesToSet is another name of variables",
    ])
  })

  test.each([[[]], ["text"], [3], [true]])("variables must be an object, not %j", (variables) => {
    expect(pathsOf(() => body({ variables }, (fields) => fields.object("variables")))).toEqual([
      "$.variables must be an object",
    ])
  })

  test("C-35: numbers of a poll are clamped", () => {
    const read = (value: JsonValue) => body({ n: value }, (fields) => fields.clamped("n", { min: 5, max: 3_600 }))
    expect([-1, 0, 5, 30, 3_600, 3_601, 1e300].map(read)).toEqual([5, 5, 5, 30, 3_600, 3_600, 3_600])
    expect(read(null)).toBeUndefined()
    expect(pathsOf(() => read("30"))).toEqual(["$.n must be a number"])
  })

  test.each([[0], [-1], [1.5], [2_147_483_648], ["1"], [true], [[]]])("%j is not a version", (value) => {
    const read = () =>
      body({ v: value as JsonValue }, (fields) => fields.wholeNumber("v", { min: 1, max: 2_147_483_647 }))
    expect(pathsOf(read)).toHaveLength(1)
  })

  test.each([["-1"], ["1.5"], ["1e3"], [" 1"], ["0x1"], [""], ["201"], ["99999999999999999999"]])(
    "%j is not a page size in a query",
    (value) => {
      expect(
        pathsOf(() => query({ n: value }, (fields) => fields.wholeNumber("n", { min: 1, max: 200 }))),
      ).toHaveLength(1)
    },
  )

  test("a query parameter that is repeated is refused", () => {
    expect(pathsOf(() => query({ status: ["a", "b"] }, (fields) => fields.optionalText("status")))).toEqual([
      "query.status is given more than once",
    ])
  })

  test("times are RFC 3339", () => {
    const read = (value: string) => query({ t: value }, (fields) => fields.moment("t"))
    expect(read("2025-03-01T09:31:00.000Z")).toBe(Date.UTC(2025, 2, 1, 9, 31))
    expect(read("2025-03-01T10:31:00+01:00")).toBe(Date.UTC(2025, 2, 1, 9, 31))
    for (const bad of ["yesterday", "2025-03-01", "2025-13-01T00:00:00Z", "1740821460000"])
      expect(pathsOf(() => read(bad))).toEqual(["query.t must be a time"])
  })

  test("the items of a list are told apart", () => {
    const read = (fields: Fields) => fields.each("items", 3, (item) => item.text("id"))
    expect(body({ items: [{ id: "a" }] }, read)).toEqual(["a"])
    expect(body({}, read)).toEqual([])
    expect(pathsOf(() => body({ items: [{ id: "a" }, {}, 3] }, read))).toEqual([
      "$.items[1].id is required",
      "$.items[2] must be an object",
    ])
    expect(pathsOf(() => body({ items: [{}, {}, {}, {}] }, read))).toEqual(["$.items has more than 3 items"])
  })

  test.each([[[]], ["text"], [3]])("a body of %j is not an object", (value) => {
    expect(pathsOf(() => body(value, (fields) => fields.text("x")))).toEqual(["$ the body must be a JSON object"])
  })

  test("no body is an empty one", () => {
    expect(body(undefined, (fields) => fields.optionalText("reason"))).toBeUndefined()
  })
})

test("D-01: a route of the queue answers 422 where others answer 400", () => {
  const read = (value: JsonValue) =>
    refusal(() => decodeQueue({ body: value, query: {} }, ({ body }) => body.text("type")))
  for (const value of [{}, { type: 7 }, []] as JsonValue[])
    expect([read(value).code, read(value).status]).toEqual(["unprocessable", 422])
  expect(read({}).details).toEqual([expect.objectContaining({ path: "$.type", message: "is required" })])
})
