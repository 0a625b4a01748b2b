// What callers hand in that cannot work: refused at the door in words they can use, and never stored as something else.
import { afterAll, beforeAll, describe, expect, test } from "vitest"
import { EngineError, job, type Step, userTask, waitForSignal, workflow } from "../../index.ts"
import { type Mills, openMills } from "../../test-support/mills.ts"
import type { Mill } from "./mill.ts"

let mills: Mills
let mill: Mill
beforeAll(async () => {
  mills = await openMills()
  mill = mills.mill
})
afterAll(() => mills.close())

const flow = workflow("plain", { steps: [function nothing() {}] })
const any = (value: unknown) => value as never

/** Refused by a catalogue error, whose message fits. */
async function refused(work: Promise<unknown>, message: RegExp, code = "bad-request"): Promise<void> {
  const error = await work.then(
    () => undefined,
    (thrown: unknown) => thrown,
  )
  expect(error).toBeInstanceOf(EngineError)
  expect(error).toMatchObject({ code, message: expect.stringMatching(message) })
}

class Order {
  readonly email = "a@b"
}
function circle(): object {
  const self: { me?: object } = {}
  self.me = self
  return self
}
const saying = (map: object) => Object.assign(map, { toJSON: () => "said" })
const later = () => Promise.resolve("r-1")
const twice = { x: 1 }
const deep = () => JSON.parse(`${'{"a":'.repeat(40)}1${"}".repeat(40)}`)

describe("an input that is no plain object", () => {
  test.each<[string, unknown, RegExp, string?]>([
    ["a text", "text", /^the input must be a plain object, not a string$/],
    ["a number", 7, /not a number$/],
    ["a bigint", 7n, /not a bigint$/],
    ["an array", [1], /not an array$/],
    ["a function", () => 1, /not a Function$/],
    ["a date", new Date(), /not a Date$/],
    ["a map", new Map(), /not a Map$/],
    ["a promise", Promise.resolve({ a: 1 }), /^the input is a promise: await it$/],
    ["a promise inside", { a: [later()] }, /^the input cannot be written as JSON: a\[0\] is a promise; await it$/],
    ["a bigint inside", { n: 1n }, /^the input cannot be written as JSON: n is a bigint; send String\(n\)$/],
    ["a circle", circle(), /^the input cannot be written as JSON: me is a circle; send the id/],
    [
      "a map deep inside",
      { items: [{}, { "of it": new Map([["a", 1]]) }] },
      /^the input cannot be written as JSON: items\[1\]\["of it"\] is a Map; send Object.fromEntries\(map\)$/,
    ],
    ["a set inside", { tags: new Set(["a"]) }, /JSON: tags is a Set; send \[\.\.\.set\]$/],
    ["a nul", { a: "x\u0000" }, /^the input: the character \\u0000 at \$\.a/],
    ["half a character", { a: "\ud800" }, /^the input: half of a surrogate pair/],
    ["__proto__", JSON.parse('{"__proto__": {"x": 1}}'), /^the input: .*__proto__/],
    ["40 levels", deep(), /^the input: nesting deeper than 31 levels/],
    [
      "more than one write may have",
      { a: ["x".repeat(250_000), ..."yyyy".split("").map((c) => c.repeat(250_000))] },
      /1250022 bytes of JSON in one write, .*WE_MAX_WRITE_BYTES/,
      "payload-too-large",
    ],
  ])("%s", async (_, input, message, code) => {
    await refused(mill.start(flow, any(input)), message, code)
    const named = new RegExp(message.source.replace("the input", "the payload"))
    await refused(mill.intake(flow, input, { key: "bad" }), named, code)
    expect(await mills.tables.script("select * from millrace.intake_keys")).toEqual([])
  })

  test("nothing at all is an empty one, and an object of a class is what its fields are", async () => {
    const ids: string[] = []
    for (const input of [undefined, null, {}, new Order()]) ids.push((await mill.start(flow, any(input))).id)
    const inputs = await Promise.all(ids.map(async (id) => (await mill.runs.get(id)).variables))
    expect(inputs).toEqual([{}, {}, {}, { email: "a@b" }])
    await mill.drain([flow])
  })

  test("just below 256 KiB goes all the way through", async () => {
    const big = { parts: Array.from({ length: 4 }, () => "x".repeat(65_000)) }
    const echo = workflow("echo", {
      steps: [
        function give({ input }: Step<typeof big>) {
          return { back: input.parts }
        },
      ],
    })
    const { id } = await mill.start(echo, big)
    await mill.drain([echo])
    expect(await mill.runs.get(id)).toMatchObject({ status: "COMPLETED", variables: { back: big.parts } })
  })
})

describe("a workflow that is none", () => {
  test.each<[string, unknown]>([
    ["nothing", undefined],
    ["null", null],
    ["a definition", flow.toDefinition()],
    ["a function", () => {}],
    ["options", { name: "plain", steps: [] }],
  ])("%s", async (_, value) => {
    await refused(mill.start(any(value), any({})), /is no workflow: pass on what workflow\(…\) has returned$/)
    await refused(mill.intake(any(value), {}, { key: "k" }), /is no workflow/)
    await refused(mill.work([any(value)]), /is no workflow/)
    await refused(mill.drain([any(value)]), /is no workflow/)
  })

  test("its name is a definition to start, and nothing to work on", async () => {
    await refused(mill.start("nobody", {}), /nobody/, "not-found")
    await refused(mill.intake("nobody", {}, { key: "k" }), /nobody/, "not-found")
    await refused(mill.work([any("plain")]), /is no workflow/)
    await refused(mill.drain([any("plain")]), /is no workflow/)
  })

  test("none at all, two of one name, and a number of runs at a time that is no number", async () => {
    await refused(mill.work([]), /at least one workflow/)
    await refused(mill.work(any(flow)), /at least one workflow/)
    await refused(
      mill.work([flow, workflow("plain", { steps: [function other() {}] })]),
      /two of them are called plain/,
    )
    for (const concurrency of [0, -1, 1.5, Number.NaN, "2"])
      await refused(mill.work([flow], { concurrency: any(concurrency) }), /^concurrency must be a whole number from 1/)
  })

  test("a lease that no claim could have", async () => {
    for (const leaseMs of [0, -5, 999, 1000.5, 3_600_001, Number.NaN, "30s", null])
      await refused(
        mill.work([flow], { leaseMs: any(leaseMs) }),
        /^leaseMs must be a whole number of milliseconds from 1000 to 3600000, not /,
      )
    await expect(mill.drain([flow], { leaseMs: 1000, deadline: 0 })).resolves.toMatchObject({ processed: 0 })
  })
})

describe("keys and names", () => {
  test.each<[string, unknown, RegExp]>([
    ["empty", "", /must be a text that is not empty/],
    ["no text", 7, /must be a text that is not empty/],
    ["10 kB", "k".repeat(10_240), /has 10240 characters, and may have 512/],
    ["with a nul", "a\u0000b", /\\u0000/],
    ["with half a character", "a\udc00b", /half of a surrogate pair/],
    ["with a line end", "a\nb", /has control characters/],
    ["with an escape", "\u001b[2J", /has control characters/],
    ["with the end of a line in Latin-1", "a\u0085", /has control characters/],
  ])("%s", async (_, text, message) => {
    await refused(mill.start(flow, {}, { key: any(text) }), message)
    await refused(mill.start(flow, {}, { linkingId: any(text) }), message)
    await refused(mill.start(flow, {}, { businessKey: any(text) }), message)
    await refused(mill.intake(flow, {}, { key: any(text) }), message)
    await refused(mill.intake(flow, {}, { key: "k", linkingId: any(text) }), message)
    await refused(mill.wake(any(text)), message)
    await refused(mill.runs.handle("01JZZZZZZZZZZZZZZZZZZZZZZZ").signal(text as string, {}), message)
    const mail = job("mail", async () => {})
    for (const options of [{ key: text }, { fairKey: text }, { limit: { key: text, max: 1 } }])
      await refused(mill.enqueue(mail, {}, any(options)), message)
    await refused(mill.enqueue(mail, {}, { unique: { key: any(text), for: "1m" } }), message)
    await refused(mill.schedules.put(any(text), { start: "mail", cron: "* * * * *" }), message)
  })

  test("a start that is refused for its options leaves no definition behind", async () => {
    const unknown = workflow("never-stored", { steps: [function nothing() {}] })
    await refused(mill.start(unknown, {}, { priority: any("urgent") }), /priority must be one of/)
    await refused(mill.start(unknown, {}, { key: "" }), /^key must be a text/)
    await refused(mill.start(unknown, {}, { key: "k", businessKey: "b" }), /^key and businessKey exclude each other/)
    await refused(mill.start(unknown, {}, { tx: any({}) }), /^tx is none of the known transactions: /)
    expect(await mills.tables.script("select id from millrace.definitions where id = 'never-stored'")).toEqual([])
  })

  test("of any characters that can be stored, and 512 of them, they work", async () => {
    for (const key of ["ключ", "🔑".repeat(256), "a b'\"\\;--", "0"]) {
      const { id } = await mill.start(flow, {}, { key })
      expect(await mill.start(flow, {}, { key })).toEqual({ id })
    }
    await mill.drain([flow])
  })

  test("of calls in a function: too long, empty, with a line break or a nul", async () => {
    const reasons: (string | undefined)[] = []
    for (const name of ["n".repeat(600), "", "a\nb", "a\u0000b"]) {
      const fn = workflow("names", async (run) => run.step(name, () => 1))
      const { id } = await mill.start(fn, {})
      await mill.drain([fn])
      reasons.push((await mill.runs.get(id)).failureReason)
    }
    expect(reasons).toEqual([
      expect.stringMatching("has 600 characters"),
      expect.stringMatching("not empty"),
      expect.stringMatching("line break"),
      expect.stringMatching("PostgreSQL cannot store"),
    ])
  })
})

test("a sleep that does not say how long is none: it is refused, with how it is written", async () => {
  const reasons: (string | undefined)[] = []
  for (const given of [["1h"], ["a", undefined], [undefined, "1h"], ["a", 200]]) {
    const fn = workflow("sleeps", async (run) => run.sleep(...(given as [string, string])))
    const { id } = await mill.start(fn, {})
    await mill.drain([fn])
    reasons.push((await mill.runs.get(id)).failureReason)
  }
  expect(reasons).toEqual([
    'run.sleep("1h") does not say how long: the name comes first, as in run.sleep("wait", "1h")',
    'run.sleep("a") does not say how long: the name comes first, as in run.sleep("a", "1h")',
    'nothing cannot name a call: the name comes first, as in run.sleep("name", …)',
    expect.stringMatching(/^the sleep a is not a valid duration: 200;/),
  ])
})

type Untyped = Record<string, (...given: unknown[]) => unknown>
const called =
  (verb: string, ...given: unknown[]) =>
  (run: Untyped) =>
    run[verb]?.(...given)

test.each<[string, (run: Untyped) => unknown, string]>([
  [
    "a function first",
    called("step", () => 1),
    'a function cannot name a call: the name comes first, as in run.step("name", …)',
  ],
  ["no function", called("step", "charge"), 'step charge has no function: write run.step("charge", fn)'],
  ["a wait of a list", called("signal", waitForSignal("go")), "an object cannot name a call: the name comes first"],
  ["a task of a list", called("userTask", userTask({ name: "go" })), 'as in run.userTask("name", …)'],
  ["a downstream", called("step", "a", () => 1, { downstream: "smtp" }), "a function goes there as a whole"],
])(
  "a call of a function that is written wrongly fails its run for good, and says how it is meant: %s",
  async (_, call, why) => {
    const fn = workflow("wrong-call", { retry: "all" }, async (run) => void (await call(run as never)))
    const { id } = await mill.start(fn, {})
    await mill.drain([fn])
    expect(await mill.runs.get(id)).toMatchObject({ status: "FAILED", failureReason: expect.stringContaining(why) })
  },
)

describe("what a step of a list gives back", () => {
  test.each<[string, unknown, RegExp | object]>([
    ["a text", "text", /^give: what give returns must be a plain object, not a string/],
    ["an array", [1], /^give: what give returns must be a plain object, not an array/],
    ["a date", new Date(), /^give: what give returns must be a plain object, not a Date/],
    ["a bigint inside", { n: 1n }, /^give: what give returns cannot be written as JSON: n is a bigint/],
    ["a map inside", { seen: new Map() }, /^give: what give returns cannot be written as JSON: seen is a Map/],
    [
      "a promise inside",
      { receipt: later() },
      /^give: what give returns cannot be written as JSON: receipt is a promise; await it/,
    ],
    ["a promise that says how it is written", { seen: saying(later()) }, { seen: "said" }],
    ["a map that says how it is written", { seen: saying(new Map()) }, { seen: "said" }],
    ["the same twice without a circle", { a: [twice, twice], b: {} }, { a: [{ x: 1 }, { x: 1 }], b: {} }],
    ["undefined inside", { a: undefined, b: null }, { b: null }],
    ["a date inside", { at: new Date(0) }, { at: "1970-01-01T00:00:00.000Z" }],
    ["a function inside", { f: () => 1, n: Number.NaN }, { n: null }],
  ])("%s", async (name, value, outcome) => {
    for (const recover of ["restart", "resume"] as const) {
      const list = workflow(`gives-${recover}-${name.replaceAll(" ", "-")}`, {
        recover,
        steps: [any(Object.defineProperty(() => value, "name", { value: "give" }))],
      })
      const { id } = await mill.start(list, {})
      await mill.drain([list])
      const run = await mill.runs.get(id)
      if (outcome instanceof RegExp) expect(run.failureReason).toMatch(outcome)
      else expect(run).toMatchObject({ status: "COMPLETED", variables: outcome })
    }
  })
})

describe("what a step throws is told, whatever it is", () => {
  test.each<[string, unknown, string]>([
    ["undefined", undefined, "undefined"],
    ["a bigint", 1n, "1n"],
    ["an object", { code: 7 }, "{ code: 7 }"],
    ["a circle", circle(), "<ref *1> { me: [Circular *1] }"],
    ["a symbol", Symbol("s"), "Symbol(s)"],
    ["a nul", new Error("a\u0000b"), "a\\u0000b"],
    ["an error without words", new TypeError(), "TypeError"],
    ["half a character", new Error("\ud800"), "\ufffd"],
    ["a novel", new Error("x".repeat(1_000_000)), `${"x".repeat(10_000)}… (1000000 characters)`],
  ])("%s", async (name, thrown, words) => {
    const throwing = () => {
      throw thrown
    }
    const list = workflow(`throws-${name.replaceAll(" ", "-")}`, { steps: [any(throwing)] })
    const outside = workflow(`outside-${name.replaceAll(" ", "-")}`, async () => throwing())
    const [inList, inFunction] = [await mill.start(list, {}), await mill.start(outside, {})]
    await mill.drain([list, outside])
    expect((await mill.runs.get(inFunction.id)).failureReason).toBe(words)
    const cut = words.length > 10_000 ? expect.stringMatching(/^throwing: x{9000}/) : `throwing: ${words}`
    expect((await mill.runs.get(inList.id)).failureReason).toEqual(cut)
  })
})

describe("a job that cannot be", () => {
  test.each<[string, () => Promise<unknown>, RegExp]>([
    ["no type", () => mill.enqueue(any(undefined), any({})), /is no type of jobs/],
    ["a type that is no name", () => mill.enqueue("send email", {}), /is no type of jobs/],
    ["a workflow as its type", () => mill.enqueue(any(flow), any({})), /is no type of jobs/],
    ["a payload that is no object", () => mill.enqueue("a", any([1])), /^the payload must be a plain object/],
    ["another priority", () => mill.enqueue("a", {}, { priority: any("urgent") }), /priority must be one of/],
    ["a misspelt option", () => mill.enqueue("a", {}, any({ dealy: 5 })), /did you mean `delay`/],
    ["a delay that is none", () => mill.enqueue("a", {}, { delay: "5 minutes" }), /^delay must be milliseconds/],
    ["no time at all", () => mill.enqueue("a", {}, { timeout: 0 }), /timeout must be at least/],
    ["half a retry", () => mill.enqueue("a", {}, { retries: 0.5 }), /retries must be a whole number/],
    ["a preset that is none", () => mill.enqueue("a", {}, { retry: any("soon") }), /retry must be one of jittered/],
    ["a misspelt policy", () => mill.enqueue("a", {}, { retry: any({ bse: 5 }) }), /did you mean `base`/],
    ["a factor below one", () => mill.enqueue("a", {}, { retry: { factor: 0 } }), /retry.factor must be/],
    ["a limit of nothing", () => mill.enqueue("a", {}, { limit: { key: "k", max: 0 } }), /limit.max must be/],
    ["a window without an end", () => mill.enqueue("a", {}, { unique: any({ key: "k" }) }), /unique.for is missing/],
    ["an empty key", () => mill.enqueue("a", {}, { key: "" }), /key must be a text/],
    ["what to do when full", () => mill.enqueue("a", {}, { whenFull: any("drop") }), /whenFull must be one of/],
    [
      "a downstream without a name",
      () => mill.enqueue("a", {}, { downstream: any({}) }),
      /undefined cannot name a downstream/,
    ],
    ["no list", () => mill.enqueueMany("a", any({})), /enqueueMany takes a list/],
    [
      "a map in the second payload",
      () => mill.enqueueMany("a", [{}, { m: new Map() }]),
      /^the payload of \[1\] cannot be written as JSON: m is a Map/,
    ],
    ["a payload that was not awaited", () => mill.enqueue("a", any(later())), /^the payload is a promise: await it$/],
    [
      "one of many that was not awaited",
      () => mill.enqueueMany("a", [{}, any(later())]),
      /^the payload of \[1\] is a promise: await it$/,
    ],
    ["an id that is none", () => mill.jobs.get(any(7)), /the job's id must be a text/],
  ])("%s is refused", async (_, work, message) => {
    await refused((async () => work())(), message)
  })

  test("and so is a handler that cannot be", () => {
    expect(() => job("a b", () => {})).toThrow("cannot name a type of jobs")
    expect(() => job("__proto__", () => {})).toThrow("cannot name a type of jobs")
    expect(() => job("a", any(undefined))).toThrow("has no function")
    expect(() => job("a", () => {}, any({ input: {} }))).toThrow("Standard Schema")
    expect(() => job("a", () => {}, any({ key: "k" }))).toThrow("job a: unknown option `key`")
    expect(() => job("a", () => {}, { retries: -1 })).toThrow("retries must be")
  })

  test("a job and a workflow of one name cannot be worked together", async () => {
    await refused(mill.work([flow, job("plain", () => {})]), /two of them are called plain/)
    await refused(mill.work([any({ kind: "job", name: "x" })]), /is no workflow/)
  })
})
