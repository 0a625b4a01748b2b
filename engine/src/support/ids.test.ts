import fc from "fast-check"
import { describe, expect, test } from "vitest"
import { executionId, isUlid, parseExecutionId, ulidFactory } from "./ids.ts"

const ALPHABET = "0123456789ABCDEFGHJKMNPQRSTVWXYZ"
const timeOf = (ulid: string): number => [...ulid.slice(0, 10)].reduce((t, c) => t * 32 + ALPHABET.indexOf(c), 0)

describe("ulidFactory", () => {
  test("C-82 C-T2: 10,000 made at once are unique, sorted and well formed", () => {
    const next = ulidFactory(Date.now)
    const ids = Array.from({ length: 10_000 }, next)
    expect(new Set(ids).size).toBe(10_000)
    expect([...ids].sort()).toEqual(ids)
    expect(ids.every(isUlid)).toBe(true)
  })

  test("C-82: two factories at the same time never meet", () => {
    const factories = Array.from({ length: 10 }, () => ulidFactory(() => 1_700_000_000_000))
    const ids = factories.flatMap((next) => Array.from({ length: 1_000 }, next))
    expect(new Set(ids).size).toBe(10_000)
  })

  test("C-82 C-T2: ids rise whatever the clock does, and carry its time while it moves forward", () => {
    fc.assert(
      fc.property(fc.array(fc.integer({ min: 0, max: 2 ** 48 - 2 }), { minLength: 2 }), (clock) => {
        let tick = 0
        const next = ulidFactory(() => clock[tick++]!)
        const ids = clock.map(() => next())
        for (let i = 1; i < ids.length; i++) {
          expect(ids[i]! > ids[i - 1]!).toBe(true)
          expect(timeOf(ids[i]!)).toBe(Math.max(...clock.slice(0, i + 1)))
        }
      }),
    )
  })

  test("C-82: the random part carries, and when it is used up the next millisecond is taken", () => {
    const nearlyFull = ulidFactory(
      () => 7,
      (bytes) => bytes.fill(0xff),
    )
    expect(nearlyFull()).toBe(`0000000007${"Z".repeat(16)}`)
    expect(timeOf(nearlyFull())).toBe(8)

    const lowFull = ulidFactory(
      () => 7,
      (bytes) =>
        bytes.forEach((_, i) => {
          bytes[i] = i >= 9 && i < 12 ? 0xff : 0
        }),
    )
    expect(lowFull()).toBe("0000000007000000000000ZZZZ")
    expect(lowFull()).toBe("00000000070000000000010000")
  })

  test("a time that no ULID can hold is our bug", () => {
    expect(ulidFactory(() => Number.NaN)).toThrow("assertion")
    expect(ulidFactory(() => 2 ** 48)).toThrow("assertion")
    expect(ulidFactory(() => 2 ** 48 - 1)().slice(0, 10)).toBe("7ZZZZZZZZZ")
  })
})

describe("execution ids", () => {
  const instanceId = "01ARZ3NDEKTSV4RRFFQ69G5FAV"

  test("come back as they went in, and sort by ordinal", () => {
    fc.assert(
      fc.property(fc.nat({ max: 100_000 }), fc.nat({ max: 100_000 }), (a, b) => {
        expect(parseExecutionId(executionId(instanceId, a))).toEqual({ instanceId, execution: a })
        expect(executionId(instanceId, a) < executionId(instanceId, b)).toBe(a < b)
      }),
    )
  })

  test.each([
    ["empty", ""],
    ["10 kB", "0".repeat(10_240)],
    ["no ordinal", instanceId],
    ["lower case", `${instanceId.toLowerCase()}-0001`],
    ["letters outside the alphabet", `${instanceId}-00I1`],
    ["a newline at the end", `${instanceId}-000\n`],
    ["a time beyond 48 bits", `8${instanceId.slice(1)}-0001`],
    ["five characters", `${instanceId}-00001`],
    ["another separator", `${instanceId}_0001`],
  ])("C-82: %s is no execution id", (_, id) => {
    expect(parseExecutionId(id)).toBeUndefined()
  })

  test("an ordinal out of range is our bug", () => {
    for (const bad of [-1, 0.5, 2 ** 20, Number.NaN]) expect(() => executionId(instanceId, bad)).toThrow("assertion")
  })
})
