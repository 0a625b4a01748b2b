// What the compiler knows about step lists and functions. Checked by tsc: an expected error that does not come fails the build.
import { type } from "arktype"
import * as v from "valibot"
import { describe, expect, expectTypeOf, test } from "vitest"
import { z } from "zod"
import type { JsonValue } from "../../support/json.ts"
import type { Logger } from "../../support/log.ts"
import { bestEffort, sleep, step, userTask, waitForSignal } from "./elements.ts"
import type { Step, StepLog, StepTx, TxStep } from "./step-types.ts"
import type { workflow as author, PayloadOf, ResultOf } from "./workflow.ts"
import type { Run } from "./workflow-types.ts"

// Many of these would also be refused at run time, which is proved elsewhere: here nothing is called.
const workflow = (() => undefined) as unknown as typeof author

interface Submission {
  readonly email: string
  readonly mode: "net_new" | "existing"
}

const validatePayload = async (_: Step<Submission>) => {}
async function createAccount({ input }: Step<Submission>) {
  if (input.mode !== "net_new") return
  return { patientUuid: "p-1" }
}
const findAccount = () => ({ patientUuid: "p-2", visits: 3 })
const attachCard = async (_: Step<Submission, { patientUuid: string }>) => ({ cardId: "c-1" })
const charge = (_: Step<Submission, { cardId: string }>) => ({ paid: true })
const chargeIfCard = (_: Step<Submission, { cardId?: string }>) => {}
const writeOrder = ({ tx }: TxStep<Submission>) => void tx.query("insert into orders default values")

describe("the context", () => {
  test("A-23: a step reads what the steps before it returned, whoever they were", () => {
    workflow("a", { steps: [validatePayload, findAccount, attachCard, charge] })
    workflow("a", { steps: [step("find", findAccount), step("attach", attachCard, { was: "card" })] })
  })

  test("A-22: what nobody before it provides does not compile", () => {
    // @ts-expect-error needs context.patientUuid
    workflow("a", { steps: [validatePayload, attachCard, findAccount] })
    // @ts-expect-error needs context.patientUuid
    workflow("a", { steps: [attachCard] })
    // @ts-expect-error needs context.patientUuid, also under another name
    workflow("a", { steps: [step("attach", attachCard)] })
    // @ts-expect-error best effort is no excuse for a missing key
    workflow("a", { steps: [bestEffort(attachCard)] })
  })

  test("A-19: a step that returns early makes its keys optional", () => {
    // @ts-expect-error createAccount may return nothing
    workflow("a", { steps: [createAccount, attachCard] })
    workflow("a", { steps: [createAccount, findAccount, attachCard] })
    workflow("a", { steps: [findAccount, createAccount, attachCard] })
    workflow("a", { steps: [createAccount, (_: Step<Submission, { patientUuid?: string }>) => {}] })
    workflow("a", { steps: [createAccount, (_: Step<Submission, { patientUuid: string | undefined }>) => {}] })
  })

  test("A-25: keys of a best-effort step are optional", () => {
    // @ts-expect-error attachCard may have failed
    workflow("a", { steps: [findAccount, bestEffort(attachCard), charge] })
    workflow("a", { steps: [findAccount, bestEffort(attachCard), chargeIfCard] })
    workflow("a", { steps: [findAccount, bestEffort(step("card", attachCard)), chargeIfCard] })
  })

  test("a key in another type does not compile, until a later step writes it anew", () => {
    const byNumber = (_: Step<Submission, { patientUuid: number }>) => {}
    const renumber = () => ({ patientUuid: 7 })
    const perhapsRenumber = (): { patientUuid?: number } => ({})
    // @ts-expect-error a text, not a number
    workflow("a", { steps: [findAccount, byNumber] })
    workflow("a", { steps: [findAccount, renumber, byNumber] })
    // @ts-expect-error now it is a number
    workflow("a", { steps: [findAccount, renumber, attachCard] })
    // @ts-expect-error it may still be a text
    workflow("a", { steps: [findAccount, perhapsRenumber, byNumber] })
  })

  test("branches, optional properties and undefined are told from what is sure", () => {
    const either = (which: boolean) => (which ? { a: 1, b: 2 } : { a: 1, c: "x" })
    const branching = () => either(true)
    const loose = (): { a: unknown; b: string | undefined; c?: number } => ({ a: 1, b: undefined })
    workflow("a", { steps: [branching, (_: Step<unknown, { a: number; b?: number; c?: string }>) => {}] })
    // @ts-expect-error only one branch returns b
    workflow("a", { steps: [branching, (_: Step<unknown, { b: number }>) => {}] })
    workflow("a", { steps: [loose, (_: Step<unknown, { a: unknown; b?: string; c?: number }>) => {}] })
    // @ts-expect-error b may be undefined, which JSON drops
    workflow("a", { steps: [loose, (_: Step<unknown, { b: string }>) => {}] })
    // @ts-expect-error a key of type unknown must still come from somewhere
    workflow("a", { steps: [branching, (_: Step<unknown, { z: unknown }>) => {}] })
  })

  test("A-23: a step reads values as JSON keeps them", () => {
    interface Visit {
      readonly at: Date
      readonly notes: readonly string[]
    }
    interface Tree {
      readonly label: string
      readonly children: readonly Tree[]
    }
    const book = () => ({
      visit: {} as Visit,
      tree: {} as Tree,
      at: new Date(),
      retry: () => {},
      json: {} as JsonValue,
    })
    const booked = workflow("a", { steps: [book] })
    expectTypeOf<ResultOf<typeof booked>["visit"]>().toEqualTypeOf<{
      readonly at: string
      readonly notes: readonly string[]
    }>()
    workflow("a", { steps: [book, (_: Step<unknown, { at: string; tree: Tree; json: JsonValue }>) => {}] })
    // @ts-expect-error it was a Date
    workflow("a", { steps: [book, (_: Step<unknown, { at: Date }>) => {}] })
    // @ts-expect-error a function is not stored
    workflow("a", { steps: [book, (_: Step<unknown, { retry: () => void }>) => {}] })
  })

  test("A-23: what a run ends with is JSON, also what a validator has made of a signal", () => {
    const schema = z.object({ at: z.coerce.date() })
    const readsDate = (_: Step<unknown, { paid: { at: Date } }>) => {}
    const waited = workflow("a", { recover: "resume", steps: [waitForSignal("paid", { schema }), readsDate] })
    expectTypeOf<ResultOf<typeof waited>>().toEqualTypeOf<{ readonly paid: { at: string } }>()
    const fn = workflow("f", async (run) => ({ at: await run.step("a", () => new Date()), now: new Date() }))
    expectTypeOf<ResultOf<typeof fn>>().toEqualTypeOf<{ at: string; now: string }>()
  })

  test("A-23: what JSON cannot hold at all is refused where it is returned", () => {
    // @ts-expect-error a bigint
    workflow("a", { steps: [() => ({ amount: 1n })] })
    // @ts-expect-error a Map
    workflow("a", { steps: [() => ({ byName: new Map<string, number>() })] })
    // @ts-expect-error a Set, perhaps
    workflow("a", { steps: [(): { tags?: Set<string> | undefined } => ({})] })
    // @ts-expect-error a Date has no keys
    workflow("a", { steps: [() => new Date()] })
    workflow("a", { steps: [() => ({ json: JSON.parse("{}"), unknown: {} as unknown, at: new Date() })] })
  })

  test("A-17: a list of unknown length promises nothing, and may ask for nothing", () => {
    const many = Array.from({ length: 3 }, (_, at) => step(`noop${at}`, () => ({ done: true })))
    workflow("a", { steps: many })
    workflow("a", { steps: [findAccount, ...many, attachCard] })
    // @ts-expect-error the array may be empty
    workflow("a", { steps: [...many, (_: Step<unknown, { done: boolean }>) => {}] })
    workflow("a", { steps: [...many, (_: Step<unknown, { done?: boolean }>) => {}] })
  })

  test("A-17: a list may be written elsewhere, as const, and be part of another", () => {
    const account = [validatePayload, findAccount] as const
    workflow("a", { steps: account })
    workflow("a", { steps: [...account, attachCard] })
    // @ts-expect-error neither of the two gives a card
    workflow("a", { steps: [...account, charge] })
  })

  test("A-20: a step takes one argument and returns an object or nothing", () => {
    // @ts-expect-error two arguments
    workflow("a", { steps: [(_: Step, __: string) => {}] })
    // @ts-expect-error no step is given a database
    workflow("a", { steps: [(_: { db: string }) => {}] })
    // @ts-expect-error a text has no keys
    workflow("a", { steps: [() => "done"] })
    // @ts-expect-error nor has an array
    workflow("a", { steps: [async () => [1, 2]] })
    workflow("a", { steps: [({ key }: { key: string }) => ({ key }), () => null] })
    step("contextual", ({ key, attempt }) => expectTypeOf(key && attempt).toEqualTypeOf<number | "">())
  })
})

describe("the input", () => {
  const wantsPhone = (_: Step<{ phone: string }>) => {}
  test("it comes from zod", () => {
    const Schema = z.object({ email: z.string(), mode: z.enum(["net_new", "existing"]), at: z.coerce.date() })
    const a = workflow("a", { input: Schema, steps: [createAccount, (_: Step<{ at: Date }>) => {}] })
    expectTypeOf<PayloadOf<typeof a>>().toEqualTypeOf<z.input<typeof Schema>>()
    // @ts-expect-error there is no phone
    workflow("a", { input: Schema, steps: [createAccount, wantsPhone] })
  })

  test("it comes from valibot", () => {
    const Schema = v.object({ email: v.string(), mode: v.picklist(["net_new", "existing"]) })
    const a = workflow("a", { input: Schema, steps: [createAccount] })
    expectTypeOf<PayloadOf<typeof a>>().toEqualTypeOf<v.InferInput<typeof Schema>>()
    // @ts-expect-error there is no phone
    workflow("a", { input: Schema, steps: [createAccount, wantsPhone] })
  })

  test("it comes from arktype", () => {
    const Schema = type({ email: "string", mode: "'net_new' | 'existing'" })
    const a = workflow("a", { input: Schema, steps: [createAccount] })
    expectTypeOf<PayloadOf<typeof a>>().toEqualTypeOf<typeof Schema.infer>()
    // @ts-expect-error there is no phone
    workflow("a", { input: Schema, steps: [createAccount, wantsPhone] })
  })

  test("without a schema it is what all steps together ask for", () => {
    const a = workflow("a", { steps: [createAccount, step("phone", wantsPhone), () => {}] })
    expectTypeOf<PayloadOf<typeof a>>().toEqualTypeOf<Submission & { phone: string }>()
    const waiting = workflow("a", { recover: "resume", steps: [createAccount, sleep("PT1H"), waitForSignal("paid")] })
    expectTypeOf<PayloadOf<typeof waiting>>().toEqualTypeOf<Submission>()
    const asking = workflow("a", { recover: "resume", steps: [findAccount, sleep("PT1H")] })
    expectTypeOf<PayloadOf<typeof asking>>().toBeUnknown()
  })
})

describe("waits and transactions", () => {
  const Payment = z.object({ amount: z.number() })
  const readsPaid = (_: Step<unknown, { paid: { amount: number } }>) => {}
  const mayReadPaid = (_: Step<unknown, { paid?: { amount: number } }>) => {}

  test("a wait needs recover: resume", () => {
    workflow("a", { recover: "resume", steps: [sleep("PT1H"), waitForSignal("paid"), userTask({ name: "approve" })] })
    // @ts-expect-error restart is the default
    workflow("a", { steps: [sleep("PT1H")] })
    // @ts-expect-error a restart list would run everything before it again
    workflow("a", { recover: "restart", steps: [findAccount, waitForSignal("paid")] })
    // @ts-expect-error a person is waited for too
    workflow("a", { steps: [userTask({ name: "approve" })] })
  })

  test("a signal is in the context under its name, surely if it is waited for without a limit", () => {
    workflow("a", { recover: "resume", steps: [waitForSignal("paid", { schema: Payment }), readsPaid] })
    workflow("a", { recover: "resume", steps: [waitForSignal("p", { as: "paid", schema: Payment }), readsPaid] })
    // @ts-expect-error what comes without a schema is unknown
    workflow("a", { recover: "resume", steps: [waitForSignal("paid"), readsPaid] })
  })

  test("a limit fails the run, so that the value is sure behind it; one that lets it go on makes it optional", () => {
    const limited = { schema: Payment, within: "P3D" } as const
    workflow("a", { recover: "resume", steps: [waitForSignal("paid", limited), readsPaid] })
    workflow("a", { recover: "resume", steps: [waitForSignal("paid", { ...limited, onTimeout: "fail" }), readsPaid] })
    const goesOn = waitForSignal("paid", { ...limited, onTimeout: "continue" })
    // @ts-expect-error after three days the list goes on without it
    workflow("a", { recover: "resume", steps: [goesOn, readsPaid] })
    workflow("a", { recover: "resume", steps: [goesOn, mayReadPaid] })
    const either = waitForSignal("paid", { ...limited, onTimeout: "fail" as "fail" | "continue" })
    // @ts-expect-error it may go on
    workflow("a", { recover: "resume", steps: [either, readsPaid] })
  })

  test("a mistyped option does not compile", () => {
    // @ts-expect-error within
    expect(() => waitForSignal("paid", { withn: "P3D" })).toThrow("did you mean `within`?")
    // @ts-expect-error assignee
    expect(() => userTask({ name: "approve", assigne: "ada" })).toThrow("did you mean `assignee`?")
    // @ts-expect-error recover
    workflow("a", { steps: [findAccount], recovery: "resume" })
  })

  test("so is what a user task was completed with", () => {
    const Approval = z.object({ approved: z.boolean() })
    const reads = (_: Step<unknown, { approval: { approved: boolean } }>) => {}
    workflow("a", { recover: "resume", steps: [userTask({ name: "approval", schema: Approval }), reads] })
    workflow("a", {
      recover: "resume",
      steps: [userTask({ name: "approval", schema: Approval, within: "P1D" }), reads],
    })
    const limited = userTask({ name: "approval", schema: Approval, within: "P1D", onTimeout: "continue" })
    // @ts-expect-error it may not have been done in time
    workflow("a", { recover: "resume", steps: [limited, reads] })
  })

  test("A-37: tx is where a transaction is: claim transaction, and recover resume", () => {
    workflow("a", { claim: "transaction", steps: [writeOrder] })
    workflow("a", { recover: "resume", steps: [writeOrder] })
    // @ts-expect-error a leased restart list has none
    workflow("a", { steps: [writeOrder] })
    // @ts-expect-error nor if it says so
    workflow("a", { claim: "lease", recover: "restart", steps: [bestEffort(writeOrder)] })
    workflow("a", { steps: [(_: Step & { tx?: StepTx }) => {}] })
    // @ts-expect-error a step gets no client of another library
    workflow("a", { recover: "resume", steps: [(_: Step & { tx: { execute(text: string): void } }) => {}] })
  })

  test("A-37: a transaction is not held over checkpoints and waits", () => {
    // @ts-expect-error checkpoints would commit it
    workflow("a", { claim: "transaction", recover: "resume", steps: [findAccount] })
    // @ts-expect-error a wait would keep it open
    workflow("a", { claim: "transaction", steps: [sleep("PT1H")] })
  })

  test("pino's logger is a step's log", () => expectTypeOf<Logger>().toExtend<StepLog>())
})

describe("the function form", () => {
  const account = workflow("account", { steps: [validatePayload, findAccount, bestEffort(attachCard)] })
  const total = workflow("total", async (_run: Run, order: { lines: number[] }) => order.lines.length)

  test("run.step gives what the function returned, awaited", () => {
    workflow("f", async (run) => {
      expectTypeOf(await run.step("a", async () => 7)).toEqualTypeOf<number>()
      expectTypeOf(await run.step("b", ({ key }) => ({ key }), { key: "1" })).toEqualTypeOf<{ key: string }>()
      expectTypeOf(await run.sleep("c", "PT1H")).toEqualTypeOf<void>()
    })
  })

  test("run.all gives an object of results", () => {
    workflow("f", async (run) => {
      const both = await run.all({ a: () => run.step("a", () => 1), b: async () => "x" })
      expectTypeOf(both).toEqualTypeOf<{ a: number; b: string }>()
    })
  })

  test("run.child takes the child's input and gives its result", () => {
    workflow("f", async (run) => {
      expectTypeOf(await run.child(total, { lines: [1] }, { key: "1" })).toEqualTypeOf<number>()
      const context = await run.child(account, { email: "ada@example.com", mode: "existing" })
      expectTypeOf(context).toEqualTypeOf<{
        readonly patientUuid: string
        readonly visits: number
        readonly cardId?: string
      }>()
      // @ts-expect-error the child wants lines
      await run.child(total, { amount: 1 })
    })
  })

  test("run.signal and run.userTask give what came, or undefined where they may go on without", () => {
    const schema = z.object({ amount: z.number() })
    workflow("f", async (run) => {
      expectTypeOf(await run.signal("paid")).toBeUnknown()
      expectTypeOf(await run.signal("paid", { schema })).toEqualTypeOf<{ amount: number }>()
      const sure = await run.userTask("approve", { schema, within: "P1D", assignee: "ada" })
      expectTypeOf(sure).toEqualTypeOf<{ amount: number }>()
      const late = await run.signal("paid", { key: "2", schema, within: "P1D", onTimeout: "continue" })
      expectTypeOf(late).toEqualTypeOf<{ amount: number } | undefined>()
    })
  })

  test("its input comes from the schema, or from what the function says", () => {
    const checked = workflow("f", { input: z.object({ at: z.coerce.date() }) }, async (_, input) => {
      expectTypeOf(input).toEqualTypeOf<{ at: Date }>()
      return input.at
    })
    // A Date in this process, and a text for those who read the result.
    expectTypeOf<ResultOf<typeof checked>>().toEqualTypeOf<string>()
    expectTypeOf<PayloadOf<typeof total>>().toEqualTypeOf<{ lines: number[] }>()
    const said = workflow("f", { priority: "high" }, async (_, input: Submission) => input.email)
    expectTypeOf<PayloadOf<typeof said>>().toEqualTypeOf<Submission>()
    expectTypeOf<ResultOf<typeof said>>().toEqualTypeOf<string>()
    // @ts-expect-error steps and a function exclude each other
    workflow("f", { steps: [findAccount] }, async () => {})
  })
})
