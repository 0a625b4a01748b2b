// Runs the compiler over sample lists: where its errors stand, what they say, and that long lists are read.
import { fileURLToPath } from "node:url"
import ts from "typescript"
import { beforeAll, describe, expect, test } from "vitest"

const folder = fileURLToPath(new URL(".", import.meta.url))
const IMPORTS = `
import { z } from "zod"
import { bestEffort, sleep, step, userTask, waitForSignal } from "./elements.ts"
import type { Step, TxStep } from "./step-types.ts"
import { workflow } from "./workflow.ts"
`
const STEPS = `
const find = () => ({ patientUuid: "p-1", visits: 3 })
const perhaps = (on: boolean) => (on ? { patientUuid: "p-1" } : undefined)
async function create() { return perhaps(true) }
async function attach({ context }: Step<unknown, { patientUuid: string }>) { return { cardId: context.patientUuid } }
const charge = (_: Step<unknown, { cardId: string; amount: number }>) => {}
const ship = (_: Step<unknown, { address: string; weight: number }>) => {}
const count = (_: Step<unknown, { visits: string }>) => {}
const write = ({ tx }: TxStep) => void tx.query("select 1")
const phone = (_: Step<{ email: string; phone: string }>) => {}
const Submission = z.object({ email: z.string() })
`

/** Each element on a line of its own; the one that is wrong is marked. */
const samples = {
  missing: `workflow("a", { steps: [
    find,
    attach,
    charge, // <-
  ] })`,
  "missing at the first": `workflow("a", { steps: [
    attach, // <-
    find,
  ] })`,
  "missing under a name": `workflow("a", { steps: [
    find,
    step("attach", attach),
    step("charge", charge, { was: "pay" }), // <-
  ] })`,
  sometimes: `workflow("a", { steps: [
    create,
    attach, // <-
    find,
  ] })`,
  "best effort": `workflow("a", { steps: [
    find,
    bestEffort(attach),
    () => ({ amount: 3 }),
    charge, // <-
  ] })`,
  "another type": `workflow("a", { steps: [
    find,
    count, // <-
  ] })`,
  input: `workflow("a", {
    input: Submission,
    steps: [
      find,
      phone, // <-
    ],
  })`,
  tx: `workflow("a", { steps: [
    find,
    write, // <-
  ] })`,
  "a wait": `workflow("a", { steps: [
    find,
    waitForSignal("paid", { within: "P3D" }), // <-
  ] })`,
  "a wait in a transaction": `workflow("a", { claim: "transaction", steps: [
    find,
    sleep("PT1H"), // <-
  ] })`,
  claim: `workflow("a", {
    steps: [find],
    recover: "resume",
    claim: "transaction", // <-
  })`,
  "two at once": `workflow("a", { steps: [
    attach, // <-
    find,
    ship, // <-
  ] })`,
  "a text": `workflow("a", { steps: [
    find,
    () => "text", // <-
  ] })`,
  "an object": `workflow("a", { steps: [
    find,
    { run: find }, // <-
    attach,
  ] })`,
  "no type": `workflow("a", { steps: [
    find,
    ({ context }) => ({ bed: context.patientUuid }), // <-
    attach,
  ] })`,
  "no type at the first": `workflow("a", { input: Submission, steps: [
    async (step) => { await step.key }, // <-
    find,
    function named({ input }) { return { email: input.email } }, // <-
    attach,
  ] })`,
  "a fault inside": `workflow("a", { steps: [
    find,
    ({ context }: Step<unknown, { patientUuid: string }>) => ({ bed: context.patientUid }), // <-
    attach,
  ] })`,
  "a bigint": `workflow("a", { steps: [
    find,
    () => ({ amount: 12n, names: new Map<string, string>() }), // <-
    attach,
  ] })`,
  "two arguments": `workflow("a", { steps: [
    find,
    (_: Step, __: number) => {}, // <-
  ] })`,
}
type Sample = keyof typeof samples

const LENGTH = 100
const MOST_INSTANTIATIONS = 400_000
/** Each step reads what the very first and the one before it returned. Some return early, some are best effort. */
const returnsEarly = (at: number) => at % 6 === 1
const isBestEffort = (at: number) => at % 6 === 4
const longSteps = Array.from({ length: LENGTH }, (_, at) => {
  const before = at - 1
  const optional = returnsEarly(before) || isBestEffort(before) ? "?" : ""
  const needs = at < 2 ? "object" : `{ first0: string; key${before}${optional}: string }`
  const early = returnsEarly(at) ? 'if (input.email === "") return;' : ""
  const result = `{ ${at === 0 ? "first0" : `key${at}`}: "x", count${at}: ${at} }`
  return `async function step${at}({ input }: Step<{ email: string }, ${needs}>) { ${early} return ${result} }`
})
const listed = longSteps.map((_, at) => (isBestEffort(at) ? `bestEffort(step${at})` : `step${at}`))
const long = `${longSteps.join("\n")}
export const long = workflow("long", { input: Submission, steps: [
  ${listed.join(",\n  ")}
] })
export const last: string = {} as NonNullable<(typeof long)["types"]>["result"]["key${LENGTH - 1}"]
`
const broken = long
  .replace("key98: string }", "key98: string; nobody: string }")
  .replace("  step99\n", "  step99 // <-\n")

const sources = new Map<string, string>(
  Object.entries({ ...samples, none: "", long, broken }).map(([name, text]) => [fileOf(name), IMPORTS + STEPS + text]),
)
let program: ts.Program

beforeAll(() => {
  const { options } = ts.parseJsonConfigFileContent(
    ts.readConfigFile(`${folder}/../../../tsconfig.json`, ts.sys.readFile).config,
    ts.sys,
    `${folder}/../../..`,
  )
  const settings = { ...options, noEmit: true, composite: false, noUnusedLocals: false, noUnusedParameters: false }
  const host = ts.createCompilerHost(settings)
  const { fileExists, readFile, getSourceFile } = host
  host.fileExists = (path) => sources.has(path) || fileExists(path)
  host.readFile = (path) => sources.get(path) ?? readFile(path)
  host.getSourceFile = (path, target, ...more) => {
    const text = sources.get(path)
    return text === undefined ? getSourceFile(path, target, ...more) : ts.createSourceFile(path, text, target)
  }
  program = ts.createProgram([...sources.keys()], settings, host)
})

function fileOf(name: string): string {
  return `${folder}sample-${name.replaceAll(" ", "-")}.ts`
}

/** `line: message` of each error in a file. */
function errorsIn(name: string): { line: number; message: string }[] {
  const file = program.getSourceFile(fileOf(name))
  return program.getSemanticDiagnostics(file).map(({ start = 0, messageText }) => ({
    line: file?.getLineAndCharacterOfPosition(start).line ?? -1,
    message: ts.flattenDiagnosticMessageText(messageText, "\n"),
  }))
}

const markedLines = (name: Sample | "broken"): number[] =>
  (sources.get(fileOf(name)) ?? "").split("\n").flatMap((line, at) => (line.includes("// <-") ? [at] : []))

describe("the error stands at the element and says what is wrong with it", () => {
  test.each<[string, Sample, string]>([
    [
      "A-22: nobody before it returns the key",
      "missing",
      "this step needs context.amount, which no step before it returns",
    ],
    ["A-22: the key comes only later", "missing at the first", "context.patientUuid, which no step before it returns"],
    ["A-22: a step with a name of its own", "missing under a name", "context.amount, which no step before it returns"],
    [
      "A-19: the key comes only sometimes",
      "sometimes",
      "context.patientUuid, which the steps before it return only sometimes",
    ],
    [
      "A-25: the key is of a best-effort step",
      "best effort",
      "context.cardId, which the steps before it return only sometimes",
    ],
    [
      "A-23: the key has another type",
      "another type",
      "context.visits in another type than the steps before it return",
    ],
    ["the input lacks a key", "input", "this step needs input.phone, which the workflow's input does not give"],
    ["A-37: there is no transaction", "tx", "this step needs tx, which a leased restart list does not have"],
    ["a wait in a restart list", "a wait", "a wait needs recover: 'resume'"],
    ["a wait in a transaction", "a wait in a transaction", "a wait cannot be in a list with claim: 'transaction'"],
    ["A-37: a transaction over checkpoints", "claim", "claim: 'transaction' needs recover: 'restart'"],
    ["A-20: a step that returns a text", "a text", "a step returns an object"],
    ["A-20: an object of another kind", "an object", "a list has functions of one argument"],
    ["A-23: a step that returns what JSON cannot hold", "a bigint", "this step returns amount, which JSON cannot hold"],
    ["A-20: a step with a fault of its own inside", "a fault inside", "Property 'patientUid' does not exist"],
    ["A-20: a step of two arguments", "two arguments", "a list has functions of one argument"],
  ])("%s", (_, sample, message) => {
    const errors = errorsIn(sample)
    expect(errors.map(({ line }) => line)).toEqual(markedLines(sample))
    expect(errors[0]?.message).toContain(message)
  })

  test.each(["no type", "no type at the first"] as const)(
    "A-17: a function without types marks itself alone: %s",
    (sample) => {
      const errors = errorsIn(sample)
      expect([...new Set(errors.map(({ line }) => line))]).toEqual(markedLines(sample))
      expect(errors.map(({ message }) => message).join()).toContain("this step's argument has no type: write ({ input")
    },
  )

  test("A-22: two wrong elements are two errors", () => {
    const errors = errorsIn("two at once")
    expect(errors.map(({ line }) => line)).toEqual(markedLines("two at once"))
    expect(errors[1]?.message).toContain("context.address")
    expect(errors[1]?.message).toContain("context.weight")
  })
})

describe(`a list of ${LENGTH} steps`, () => {
  test("A-17: it compiles, and the type of its result is known", () => {
    errorsIn("none")
    const before = program.getInstantiationCount()
    expect(errorsIn("long")).toEqual([])
    // About 210,000 when this was written, half a second; a reading that grows faster than the list, or is done twice, shows here.
    expect(program.getInstantiationCount() - before).toBeLessThan(MOST_INSTANTIATIONS)
  })

  test("A-22: one missing key in it is one error, at its element", () => {
    const errors = errorsIn("broken")
    expect(errors.map(({ line }) => line)).toEqual(markedLines("broken"))
    expect(errors[0]?.message).toContain("context.nobody, which no step before it returns")
  })

  test("A-17: it can be exported from a package that emits declarations", () => {
    expect(program.getDeclarationDiagnostics(program.getSourceFile(fileOf("long")))).toEqual([])
  })
})
