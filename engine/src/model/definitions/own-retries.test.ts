// Which steps of a list have retries of their own.
import { describe, expect, test } from "vitest"
import { compileDefinition } from "./compile-definition.ts"
import { document, parsed, type Raw, service } from "./fixtures.ts"
import { ownRetries } from "./own-retries.ts"

const compiled = (more: Raw) =>
  compileDefinition(parsed(document([service("a"), service("b")], { execution: "steplist", ...more })), 1)

describe("the retries of a step", () => {
  const elements = [
    { id: "a", was: ["old-a"], retry: { errors: "all", retries: 3 } },
    { id: "b", retry: { errors: "all" } },
    { id: "c", retry: { errors: "all", retries: "unlimited" } },
    { id: "d", kind: "sleep" },
  ]
  const list = compiled({ metadata: { elements } })

  test("are its own where its rule has a number, by every name it had", () => {
    expect(ownRetries(list, "a")).toEqual({ retries: 3, names: ["a", "old-a"] })
    expect(ownRetries(list, "old-a")).toEqual({ retries: 3, names: ["a", "old-a"] })
    expect(ownRetries(list, "c")).toEqual({ retries: "unlimited", names: ["c"] })
  })

  test("are those of the run where its rule has none, or nothing is told of it", () => {
    for (const step of ["b", "d", "e"]) expect(ownRetries(list, step)).toBeUndefined()
    expect(ownRetries(compiled({}), "a")).toBeUndefined()
    expect(ownRetries(compiled({ metadata: {} }), "a")).toBeUndefined()
  })
})
