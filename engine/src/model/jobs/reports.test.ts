// Which reports count, and how a token is written.
import { randomUUID } from "node:crypto"
import fc from "fast-check"
import { expect, test } from "vitest"
import { formatToken, holds, type LeaseToken, maySpeakLate, parseToken, repeats } from "./reports.ts"

const token: LeaseToken = { epoch: 3, nonce: "0b8f2c4e-1111-4222-8333-444455556666" }
const lease = { ...token, workerId: "w1" }
const anyToken = fc.record({ epoch: fc.integer({ min: 1, max: 999_999_999 }), nonce: fc.uuid() })
const anyPackedToken = fc.record({ epoch: fc.constant(1), nonce: fc.uuid(), place: fc.integer({ min: 1, max: 999 }) })

test("C-66, S7: the latest token holds, whoever sends it", () => {
  expect(holds({ workerId: "w1", token }, lease)).toBe(true)
  expect(holds({ workerId: "another name", token }, lease)).toBe(true)
})

test.each([
  ["of an earlier delivery", { ...token, epoch: 2 }],
  ["of a delivery that never was", { ...token, epoch: 4 }],
  ["with another nonce", { ...token, nonce: randomUUID() }],
  ["with a shorter nonce", { ...token, nonce: "0b8f2c4e" }],
])("S7: a token %s does not hold", (_name, other) => {
  expect(holds({ workerId: "w1", token: other }, lease)).toBe(false)
})

test("C-27: without a token the worker's name decides", () => {
  expect(holds({ workerId: "w1", token: undefined }, lease)).toBe(true)
  expect(holds({ workerId: "w2", token: undefined }, lease)).toBe(false)
})

test("C-66, S7: a token that was used up holds for nobody, nor does the lease of a job never claimed", () => {
  expect(holds({ workerId: "w1", token }, { ...lease, nonce: null })).toBe(false)
  expect(holds({ workerId: "w1", token: undefined }, { ...lease, nonce: null })).toBe(false)
  expect(holds({ workerId: "w1", token }, { epoch: 0, nonce: null, workerId: null })).toBe(false)
})

test("S7: of any two tokens, one holds for the other's lease only if they are the same", () => {
  fc.assert(
    fc.property(anyToken, anyToken, fc.boolean(), (one, other, same) => {
      const claimant = { workerId: "w", token: same ? { ...one } : other }
      const isSame = claimant.token.epoch === one.epoch && claimant.token.nonce === one.nonce
      expect(holds(claimant, { ...one, workerId: "w" })).toBe(isSame)
    }),
  )
})

test("S7: a token of a pack is written with its place, and read with it", () => {
  fc.assert(
    fc.property(anyPackedToken, (one) => {
      expect(parseToken(formatToken(one))).toEqual(one)
    }),
  )
  for (const place of ["0", "01", "1000", "-1", "x", ""])
    expect(parseToken(`${formatToken(token)}.${place}`)).toBeUndefined()
})

test("a token reads as it was written", () => {
  fc.assert(
    fc.property(anyToken, (one) => {
      expect(parseToken(formatToken(one))).toEqual(one)
    }),
  )
})

test.each([
  "",
  "1",
  "1.",
  ".x",
  "0.0b8f2c4e-1111-4222-8333-444455556666",
  "01.0b8f2c4e-1111-4222-8333-444455556666",
  "-1.0b8f2c4e-1111-4222-8333-444455556666",
  "1.0B8F2C4E-1111-4222-8333-444455556666",
  "1.0b8f2c4e-1111-4222-8333-444455556666 ",
  "1.0b8f2c4e-1111-4222-8333-44445555666é",
  "9999999999.0b8f2c4e-1111-4222-8333-444455556666",
])("S7: %j is no token of ours", (text) => {
  expect(parseToken(text)).toBeUndefined()
})

test("any text is read as a token that writes the same text, or not at all; length does not matter", () => {
  fc.assert(
    fc.property(fc.oneof(fc.string(), fc.string({ unit: fc.constantFrom(..."0123456789abcdef.-") })), (text) => {
      const parsed = parseToken(text)
      if (parsed) expect(formatToken(parsed)).toBe(text)
    }),
  )
  expect(parseToken(`1.${"a".repeat(1_000_000)}`)).toBeUndefined()
})

const gone = { epoch: null, nonce: null, workerId: null }
const completed = { last: { ...lease, verb: "complete" as const }, attempt: { ...gone, outcome: null } }
const retried = { last: { ...gone, verb: null }, attempt: { ...lease, outcome: "failed" } }
const fail = { workerId: "w1", token, verb: "fail" as const, retryable: true }

test("C-69: a report repeats the one that ended the job if holder and verb are the same", () => {
  expect(repeats({ workerId: "w1", token, verb: "complete" }, completed)).toBe(true)
  expect(repeats(fail, completed)).toBe(false)
  expect(repeats({ workerId: "w1", token: { ...token, epoch: 2 }, verb: "complete" }, completed)).toBe(false)
  const byEngine = { ...completed, last: { ...lease, verb: null } }
  expect(repeats(fail, byEngine)).toBe(false)
})

test("C-69: a failure that was retried is repeated by a retryable failure of the same holder, and by nothing else", () => {
  expect(repeats(fail, retried)).toBe(true)
  expect(repeats({ ...fail, retryable: false }, retried)).toBe(false)
  expect(repeats({ ...fail, verb: "complete" }, retried)).toBe(false)
  expect(repeats({ ...fail, token: { ...token, epoch: 2 } }, retried)).toBe(false)
  expect(repeats(fail, { ...retried, attempt: { ...lease, outcome: "timed-out" } })).toBe(false)
  expect(repeats(fail, { ...retried, attempt: { ...lease, outcome: "lost" } })).toBe(false)
})

test("W-03, W-22: without a token reports may come late; a failure to be retried only of the worker's last delivery", () => {
  const late = { workerId: "w1", token: undefined }
  for (const isLast of [true, false]) {
    expect(maySpeakLate({ ...late, verb: "complete" }, { isLast })).toBe(true)
    expect(maySpeakLate({ ...late, verb: "fail", retryable: false }, { isLast })).toBe(true)
    expect(maySpeakLate({ ...late, verb: "fail", retryable: true }, { isLast })).toBe(isLast)
    expect(maySpeakLate({ ...late, verb: "park" }, { isLast })).toBe(false)
    expect(maySpeakLate({ ...late, token, verb: "complete" }, { isLast })).toBe(false)
  }
})
