// What a tenure commits, without a broker: whenever a message is done, and only while its partitions are still the member's.
import { describe, expect, test } from "vitest"
import { aMessage, aTenure } from "../../test-support/tenure.ts"

/** What was begun has gone as far as it can without the outside. */
const quiet = () => new Promise((resolve) => setImmediate(resolve))

describe("the commits of a tenure", () => {
  test.each(Array.from({ length: 16 }, (_, steps) => steps))(
    "a message that is done %i steps after a commit was answered is committed too",
    async (steps) => {
      const [first, second] = [aMessage(0), aMessage(1)]
      const { tenure, lane, committed, clock } = aTenure({
        onCommit: async () => {
          if (committed.length === 1) void finishLater()
        },
      })
      const finish = (message: typeof first) => {
        lane.done(message)
        tenure.commit()
      }
      const finishLater = async () => {
        for (let step = 0; step < steps; step++) await Promise.resolve()
        finish(second)
      }
      lane.take([first, second], 2n)
      for (const message of [first, second]) lane.begin(message)
      finish(first)
      await quiet()
      expect(committed[0]).toBe(1n)
      clock.advance(100)
      await quiet()
      expect(committed.at(-1)).toBe(2n)
    },
  )

  test("what ends after the release is committed when the tenure settles, and not before", async () => {
    const message = aMessage(0)
    const { tenure, lane, committed } = aTenure()
    lane.take([message], 1n)
    lane.begin(message)
    tenure.release()
    lane.done(message)
    tenure.commit()
    await quiet()
    expect(committed).toEqual([])
    await tenure.settle()
    expect(committed).toEqual([1n])
  })

  test("a group that is arranged anew refuses a commit: that is no failure, any other refusal is", async () => {
    const rejoin = Object.assign(new Error("rebalance"), { findBy: (name: string) => name === "needsRejoin" })
    for (const [refusal, count] of [
      [rejoin, 0],
      [new Error("away"), 1],
    ] as const) {
      const { tenure, lane, failures } = aTenure({ onCommit: () => Promise.reject(refusal) })
      lane.take([], 5n)
      tenure.commit()
      await quiet()
      expect(failures).toHaveLength(count)
    }
  })
})
