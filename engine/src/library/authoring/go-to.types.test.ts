// What compiles of waits that go to a later step: whether the step is there, and what is known on each way.
import { describe, expectTypeOf, test } from "vitest"
import { z } from "zod"
import { bestEffort, step, userTask, waitForSignal } from "./elements.ts"
import type { Step } from "./step-types.ts"
import { type ResultOf, workflow } from "./workflow.ts"

const resume = { recover: "resume" } as const
const late = { within: "3d", onTimeout: { goTo: "close" } } as const
const approved = waitForSignal("approved", { ...late, schema: z.object({ by: z.string() }) })
const order = () => ({ orderId: "o-1" })
const ship = (_: Step<unknown, { orderId: string; approved: { by: string } }>) => ({ parcel: "p-1" })
const close = step("close", (_: Step<unknown, { orderId: string; approved?: { by: string }; parcel?: string }>) => {})

describe("a wait that goes to a later step", () => {
  test("has its value for the steps between, and perhaps from the target on", () => {
    const flow = workflow("a", { ...resume, steps: [order, approved, ship, close] })
    expectTypeOf<ResultOf<typeof flow>>().toEqualTypeOf<{
      readonly orderId: string
      readonly approved?: { by: string }
      readonly parcel?: string
    }>()
    const needsParcel = step("close", (_: Step<unknown, { parcel: string }>) => {})
    // @ts-expect-error the step that returns it may have been skipped
    workflow("a", { ...resume, steps: [order, approved, ship, needsParcel] })
    // @ts-expect-error nor is it sure behind the target
    workflow("a", { ...resume, steps: [order, approved, step("close", order), ship] })
  })

  test("finds steps by the name that is written with them: a step, a best-effort step, a wait", () => {
    workflow("a", { ...resume, steps: [approved, bestEffort(step("close", order))] })
    workflow("a", { ...resume, steps: [approved, userTask({ name: "close" })] })
    workflow("a", { ...resume, steps: [userTask({ name: "review", ...late }), waitForSignal("x", { as: "close" })] })
  })

  test("does not compile where no later step has the name, or none that the compiler knows", () => {
    const neverCalled = () => {
      // @ts-expect-error there is none
      workflow("a", { ...resume, steps: [order, approved, ship] })
      // @ts-expect-error it stands before the wait
      workflow("a", { ...resume, steps: [step("close", order), approved] })
      function plain() {}
      // @ts-expect-error the compiler does not know what a function is called
      workflow("a", { ...resume, steps: [waitForSignal("go", { within: "1h", onTimeout: { goTo: "plain" } }), plain] })
      const any = "close" as string
      // @ts-expect-error any string
      workflow("a", { ...resume, steps: [waitForSignal("go", { within: "1h", onTimeout: { goTo: any } }), order] })
      const others = [order, order]
      // @ts-expect-error which steps are between is not known
      workflow("a", { ...resume, steps: [order, approved, ...others, close] })
    }
    expectTypeOf(neverCalled).returns.toBeVoid()
  })

  test("shares its target with others: sure is what is sure on every way", () => {
    const second = waitForSignal("paid", { ...late, schema: z.object({ cents: z.number() }) })
    const closes = step("close", (_: Step<unknown, { orderId: string; parcel?: string }>) => {})
    workflow("a", { ...resume, steps: [order, approved, ship, second, closes] })
    const wants = step("close", (_: Step<unknown, { parcel: string }>) => {})
    // @ts-expect-error on the way from the first wait it was not returned
    workflow("a", { ...resume, steps: [order, approved, ship, second, wants] })
  })

  test("is for lists: a function has code for it", () => {
    workflow("a", async (run) => {
      // @ts-expect-error no step to go to
      await run.signal("go", { within: "1h", onTimeout: { goTo: "close" } })
    })
  })
})
