// The map that forgets, against a plain model of it.
import fc from "fast-check"
import { expect, test } from "vitest"
import { BoundedMap } from "./bounded-map.ts"

test("SEC-65: over any use it holds no more than its bound, and of what it holds the most recently set", () => {
  const step = fc.record({ key: fc.constantFrom(..."abcdefgh"), isDelete: fc.boolean() })
  fc.assert(
    fc.property(fc.array(step, { maxLength: 100 }), (steps) => {
      const map = new BoundedMap<number>({ mostEntries: 3 }, () => 0)
      let model: [string, number][] = []
      for (const [at, { key, isDelete }] of steps.entries()) {
        model = model.filter(([known]) => known !== key)
        if (isDelete) map.delete(key)
        else {
          map.set(key, at, 1_000)
          model = [...model, [key, at] as [string, number]].slice(-3)
        }
        expect(map.size).toBe(model.length)
        for (const [known, value] of model) expect(map.get(known)).toBe(value)
      }
    }),
  )
})

test("SEC-65: what was taken out weighs nothing any more", () => {
  const map = new BoundedMap<string>({ mostEntries: 10, weight: { most: 5, of: ({ length }) => length } }, () => 0)
  map.set("a", "aaa", 1)
  map.delete("a")
  map.set("b", "bbb", 1)
  map.set("c", "cc", 1)
  expect([map.get("b"), map.get("c")]).toEqual(["bbb", "cc"])
})

test("SEC-65: weight is bounded too, and the last entry stays whatever it weighs", () => {
  const weight = { most: 5, of: (value: string) => value.length }
  const map = new BoundedMap<string>({ mostEntries: 10, weight }, () => 0)
  map.set("a", "aaa", 1)
  map.set("b", "bbb", 1)
  expect([map.get("a"), map.get("b")]).toEqual([undefined, "bbb"])
  map.set("c", "c".repeat(50), 1)
  expect([map.size, map.get("b")]).toEqual([1, undefined])
})

test("what has run out is not found, and goes by itself", () => {
  let nowMs = 0
  const map = new BoundedMap<string>({ mostEntries: 10 }, () => nowMs)
  map.set("a", "a", 10)
  expect(map.leftMs("a")).toBe(10)
  map.set("b", "b", 10)
  map.set("c", "c", 10)
  nowMs = 10
  expect([map.get("a"), map.leftMs("a"), map.size]).toEqual([undefined, 0, 2])
  map.set("d", "d", 10)
  expect(map.size).toBe(1)
})
