import { describe, expect, test } from "vitest"
import { faultsOfWeights, readWeights, weightsOfVersion, weightsVersion } from "./weights.ts"

describe("weights", () => {
  test("a version names the weights that are in force, and nothing else is one", () => {
    const weights = { critical: 60, high: 30, normal: 10 }
    expect(weightsOfVersion(weightsVersion(weights))).toEqual(weights)
    expect(weightsOfVersion(weightsVersion(undefined))).toBeUndefined()
    for (const text of ["", "60-30", "60-30-11", "60-30-10-0", "a-b-c"]) expect(weightsOfVersion(text)).toBeNull()
  })

  test.each([
    { critical: 60, high: 30, normal: 10 },
    { critical: 100, high: 0, normal: 0 },
    { critical: 0, high: 0, normal: 100 },
  ])("D-04: %o can be used", (weights) => {
    expect(faultsOfWeights(weights)).toEqual([])
    expect(readWeights({ ...weights, note: "by hand" })).toEqual(weights)
  })

  test("D-04: every priority that is wrong is named", () => {
    const faults = faultsOfWeights({ critical: -1, high: 0.5 })
    expect(faults.map(({ priority }) => priority)).toEqual(["critical", "high", "normal"])
  })

  test("D-04: a sum other than 100 is named once", () => {
    expect(faultsOfWeights({ critical: 60, high: 30, normal: 11 })).toEqual([
      { message: expect.stringContaining("101") },
    ])
  })

  test.each([
    [null],
    ["60,30,10"],
    [[60, 30, 10]],
    [{ critical: 100 }],
    [{ critical: "60", high: 30, normal: 10 }],
    [{ critical: 110, high: -10, normal: 0 }],
    [{ critical: Number.NaN, high: 50, normal: 50 }],
  ])("D-50: %j in the settings row is no weights", (value) => {
    expect(readWeights(value)).toBeUndefined()
  })
})
