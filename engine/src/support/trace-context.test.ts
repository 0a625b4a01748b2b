import fc from "fast-check"
import { describe, expect, test } from "vitest"
import { readTraceContext, traceparentOf, tracestateOf } from "./trace-context.ts"

const ID = "4bf92f3577b34da6a3ce929d0e0e4736"
const PARENT = "00f067aa0ba902b7"
const traceparent = `00-${ID}-${PARENT}-01`
const member = (name: string, length: number) => `${name}=${"v".repeat(length - name.length - 1)}`

describe("traceparent", () => {
  test.each([
    [traceparent],
    [`00-${ID}-${PARENT}-00`],
    [`00-${ID}-${PARENT}-03`],
    [`00-${"0".repeat(31)}1-${"0".repeat(15)}1-ff`],
  ])("%s is taken as it is", (value) => {
    expect(readTraceContext(value)).toBe(value)
  })

  test.each([
    [`01-${ID}-${PARENT}-01`, traceparent],
    [`cc-${ID}-${PARENT}-09-what-the-future-will-be-like`, traceparent],
    [`fe-${ID}-${PARENT}-02-`, `00-${ID}-${PARENT}-00`],
  ])("%s, of a later version, is passed on as one of ours", (value, ours) => {
    expect(readTraceContext(value)).toBe(ours)
  })

  test.each([
    ["nothing", undefined],
    ["an empty one", ""],
    ["a word", "nonsense"],
    ["a list", [traceparent]],
    ["two in one header", `${traceparent}, ${traceparent}`],
    ["two of a later version", `01-${ID}-${PARENT}-01, 01-${ID}-${PARENT}-01`],
    ["capitals", traceparent.toUpperCase()],
    ["a forbidden version", `ff-${ID}-${PARENT}-01`],
    ["a version of one digit", `0-${ID}-${PARENT}-01`],
    ["no trace", `00-${"0".repeat(32)}-${PARENT}-01`],
    ["no parent", `00-${ID}-${"0".repeat(16)}-01`],
    ["a short trace id", `00-${ID.slice(1)}-${PARENT}-01`],
    ["a long trace id", `00-${ID}a-${PARENT}-01`],
    ["a short parent id", `00-${ID}-${PARENT.slice(1)}-01`],
    ["no flags", `00-${ID}-${PARENT}`],
    ["flags of one digit", `00-${ID}-${PARENT}-1`],
    ["what is no hex", `00-${ID.replace("b", "g")}-${PARENT}-01`],
    ["more than version 00 has", `${traceparent}-more`],
    ["more without a dash", `01-${ID}-${PARENT}-01more`],
    ["other dashes", traceparent.replaceAll("-", "_")],
    ["blanks before it", ` ${traceparent}`],
    ["blanks after it", `${traceparent} `],
    ["a line break", `${traceparent}\n`],
    ["a later version with a line break", `01-${ID}-${PARENT}-01-a\nb`],
    ["a NUL", `00-${ID}-${PARENT}-0\0`],
    ["an umlaut", "00-\u00fc"],
  ])("%s is ignored", (_what, value) => {
    expect(readTraceContext(value, "a=1")).toBeUndefined()
  })
})

describe("tracestate", () => {
  test.each([
    ["rojo=00f067aa0ba902b7,congo=t61rcWkgMzE"],
    ['fw529a3039@dt=FfAB,a-_*/0=!~"\\ x'],
    [member("a", 257)],
    [Array.from({ length: 32 }, (_, at) => `k${at}=1`).join()],
  ])("%s is kept", (state) => {
    const context = readTraceContext(traceparent, state) as string
    expect(traceparentOf(context)).toBe(traceparent)
    expect(tracestateOf(context)).toBe(state)
  })

  test("blanks around members, and empty members, are left out", () => {
    expect(tracestateOf(readTraceContext(traceparent, " a=1 ,\tb=2,, ") as string)).toBe("a=1,b=2")
  })

  test("what is longer than 512 characters loses its last members, as many as it must", () => {
    const state = [member("a", 200), member("b", 200), member("c", 110), member("d", 20)].join()
    const kept = tracestateOf(readTraceContext(traceparent, state) as string) as string
    expect(kept).toBe([member("a", 200), member("b", 200), member("c", 110)].join())
    expect(kept.length).toBe(512)
  })

  test.each([
    ["none", undefined],
    ["an empty one", " , ,"],
    ["no value", "a"],
    ["an empty value", "a="],
    ["a key with capitals", "A=1"],
    ["two equals signs", "a=b=c"],
    ["a value of 257 characters", `a=${"v".repeat(257)}`],
    ["33 members", Array.from({ length: 33 }, (_, at) => `k${at}=1`).join()],
    ["a control character", "a=1\u0007"],
    ["a line break", "a=1\nb=2"],
    ["an umlaut", "a=\u00fc"],
    ["a list", ["a=1"]],
  ])("%s: the traceparent goes on without it", (_what, state) => {
    const context = readTraceContext(traceparent, state) as string
    expect(context).toBe(traceparent)
    expect(tracestateOf(context)).toBeUndefined()
  })
})

test("whatever comes, what is kept is one short line of printable ASCII that reads as itself", () => {
  const value = fc.oneof(fc.string(), fc.string({ unit: "binary" }), fc.constantFrom("a=1", `${traceparent}-x`))
  fc.assert(
    fc.property(fc.oneof(value, fc.constant(traceparent)), value, (parent, state) => {
      const context = readTraceContext(parent, state)
      if (context === undefined) return
      expect(context).toMatch(/^[\x20-\x7e]{55,568}$/)
      expect(readTraceContext(traceparentOf(context), tracestateOf(context))).toBe(context)
    }),
  )
})
