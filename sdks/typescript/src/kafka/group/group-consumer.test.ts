// A consumer that cannot begin: it tries again and again, each time later, and leaves nothing behind.
import { describe, expect, test } from "vitest"
import { ManualClock } from "../../test-support/manual-clock.ts"
import { Tally } from "../../test-support/samples.ts"
import { GroupConsumer } from "./group-consumer.ts"

describe("a consumer whose brokers are away", () => {
  async function failing(times: number): Promise<number[]> {
    const clock = new ManualClock()
    const pauses = new Tally<number>()
    const consumer = GroupConsumer.start({
      ...{ groupId: "g", topics: ["t"], clock },
      connect: () => Promise.reject(new Error("away")),
      onTenure: () => {},
      onFetched: () => {},
      onReset: () => {},
      onFailure: (_, pauseMs) => pauses.add(pauseMs),
    })
    for (let failed = 1; failed <= times; failed++) {
      await pauses.reach(failed)
      await clock.timerWithin(5_000)
      clock.advance(5_000)
    }
    await consumer.stop()
    return pauses.items.slice(0, times)
  }

  test("waits longer after each failure, and at most five seconds", async () => {
    const pauses = await failing(12)
    expect(pauses[0]).toBeLessThan(150)
    expect(pauses.at(-1)).toBe(5_000)
  })

  test("leaves no listener behind, however often it has failed", async () => {
    const warnings: Error[] = []
    const hear = (warning: Error) => void warnings.push(warning)
    process.on("warning", hear)
    try {
      await failing(30)
      // Warnings are told in a later turn.
      await new Promise((resolve) => setImmediate(resolve))
    } finally {
      process.off("warning", hear)
    }
    expect(warnings.filter(({ name }) => name === "MaxListenersExceededWarning")).toEqual([])
  })
})
