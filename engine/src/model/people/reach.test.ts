import { describe, expect, test } from "vitest"
import { EVERYTHING, Reach, reachedByLetter, reachedBySchedule } from "./reach.ts"

describe("S23: how far scopes go", () => {
  test("S23: a letter of a step is its instance's, any other a job's", () => {
    expect(reachedByLetter({ source: "step" })).toBe("instance")
    expect(reachedByLetter({ source: "job" })).toBe("job")
  })

  test("S23: a schedule reaches what it starts", () => {
    expect(reachedBySchedule({ definitionId: "order" })).toBe("instance")
    expect(reachedBySchedule({})).toBe("job")
  })

  test("S23: reading and changing are two scopes, and neither covers the other kind", () => {
    const reach = new Reach(["instances:read", "jobs:write"])
    expect(reach.may("read", "instance")).toBe(true)
    expect(reach.may("write", "instance")).toBe(false)
    expect(reach.may("read", "job")).toBe(false)
    expect(() => reach.must("write", "job")).not.toThrow()
    expect(() => reach.must("write", "instance")).toThrow("no scope instances:write")
    for (const kind of ["instance", "job", "task"] as const) expect(EVERYTHING.may("write", kind)).toBe(true)
  })
})
