// Variables survive the way through google.protobuf.Struct as they survive JSON.
import { BinaryReader } from "@bufbuild/protobuf/wire"
import fc from "fast-check"
import { expect, test } from "vitest"
import { Struct, Value } from "./struct.ts"

const read = (bytes: Uint8Array) => Struct.decode(new BinaryReader(bytes), bytes.length)
const throughStruct = (value: object) => read(Struct.encode(value as { [key: string]: unknown }).finish())
const throughJson = (value: unknown) => JSON.parse(JSON.stringify(value))

test("an object comes out as JSON would bring it", () => {
  fc.assert(
    fc.property(fc.dictionary(fc.string({ unit: "binary" }), fc.jsonValue({ maxDepth: 6 })), (value) => {
      expect(throughStruct(value)).toEqual(throughJson(value))
    }),
  )
})

test("keys keep their order, long values their length", () => {
  const value = {
    b: "ä".repeat(40),
    a: "x".repeat(100_000),
    c: [[[{ deep: Array.from({ length: 300 }, (_, at) => at) }]]],
  }
  expect(JSON.stringify(throughStruct(value))).toBe(JSON.stringify(value))
})

test("what JSON leaves out is left out, and a date is its text", () => {
  const value = { gone: undefined, at: new Date(0), list: [undefined, null, true, false], zero: 0 }
  expect(throughStruct(value)).toEqual(throughJson(value))
})

test("an object is what its toJSON says, and refused where that is no object", () => {
  const said = (value: unknown) => ({ own: 1, toJSON: () => value })
  expect(throughStruct(said({ told: 2 }))).toEqual({ told: 2 })
  for (const value of ["text", null, [1]]) expect(() => throughStruct(said(value))).toThrow("no object of variables")
})

test("a key named __proto__ is a field like any other, and no prototype", () => {
  const value = throughStruct(JSON.parse('{"__proto__": {"isAdmin": true}}'))
  expect(Object.hasOwn(value, "__proto__")).toBe(true)
  expect(value.isAdmin).toBeUndefined()
})

test.each([Number.NaN, Number.POSITIVE_INFINITY, 1n])("%s is refused by the writer", (value) => {
  expect(() => throughStruct({ value })).toThrow(/cannot be sent/)
})

test.each([Number.NaN, Number.NEGATIVE_INFINITY])("%s is refused by the reader", (number) => {
  const bytes = Struct.encode({ value: 1.5 }).finish()
  new DataView(bytes.buffer, bytes.byteOffset).setFloat64(bytes.length - 8, number, true)
  expect(() => read(bytes)).toThrow(/no number of JSON/)
})

test("a ring and a nest without end are refused", () => {
  const ring: { [key: string]: unknown } = {}
  ring.again = ring
  expect(() => throughStruct(ring)).toThrow(/in a circle/)
  let deep: unknown = 1
  for (let level = 0; level < 101; level++) deep = [deep]
  const bytes = Value.encode(deep).finish()
  expect(() => Value.decode(new BinaryReader(bytes), bytes.length)).toThrow(/too deeply/)
})

test("a message that is cut off is refused, wherever it is cut", () => {
  const bytes = Struct.encode({ name: "Ada", list: [1, { two: "zwei" }] }).finish()
  for (let length = 1; length < bytes.length; length++)
    expect(() => Struct.decode(new BinaryReader(bytes.slice(0, length)), bytes.length)).toThrow()
})

test("a value without a kind is null", () => {
  expect(Value.decode(new BinaryReader(new Uint8Array()), 0)).toBeNull()
})
