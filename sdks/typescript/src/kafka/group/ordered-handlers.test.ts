// Handlers of a tenure, without a broker: in order per key, beside each other otherwise, and ended before a partition is given up.
import { describe, expect, test } from "vitest"
import { deferred, Tally } from "../../test-support/samples.ts"
import { aMessage, aTenure } from "../../test-support/tenure.ts"
import type { GroupMessage } from "./group-message.ts"
import { inOrder } from "./ordered-handlers.ts"

describe("handlers in order", () => {
  /** Handlers that end when a test lets them. */
  function stage(messages: readonly GroupMessage[], atOnce: number) {
    const { tenure, lane, committed, failures, clock } = aTenure()
    const begun = new Tally<bigint>()
    const gates = new Map(messages.map(({ offset }) => [offset, deferred<Error | undefined>()]))
    const hooks = inOrder(async ({ offset }) => {
      begun.add(offset)
      const failure = await gates.get(offset)?.promise
      if (failure) throw failure
    }, atOnce)
    hooks.onTenure(tenure)
    lane.take(messages, BigInt(messages.length))
    hooks.onFetched(0, messages.length)
    const end = (n: number, failure?: Error) => gates.get(BigInt(n))?.resolve(failure)
    return { tenure, hooks, begun, committed, failures, clock, end }
  }
  const quiet = () => new Promise((resolve) => setImmediate(resolve))

  test("those of one key one after the other, others and those without a key beside them, at most so many", async () => {
    const messages = [aMessage(0, "a"), aMessage(1, "a"), aMessage(2, "b"), aMessage(3, null), aMessage(4, null)]
    const { begun, committed, clock, end } = stage(messages, 3)
    await begun.reach(3)
    expect(begun.items).toEqual([0n, 2n, 3n])
    end(2)
    await begun.reach(4)
    expect(begun.items[3]).toBe(4n)
    end(0)
    await begun.reach(5)
    expect(begun.items[4]).toBe(1n)
    for (const n of [1, 3, 4]) end(n)
    await quiet()
    clock.advance(100)
    await quiet()
    expect(committed.at(-1)).toBe(5n)
  })

  test("after a failure none of its key begins, nothing behind it is committed, and it is told", async () => {
    const { begun, committed, failures, end } = stage([aMessage(0, "a"), aMessage(1, "a"), aMessage(2, "b")], 2)
    await begun.reach(2)
    const failure = new Error("not yet")
    end(0, failure)
    end(2)
    await quiet()
    expect(begun.items).toEqual([0n, 2n])
    expect(failures).toEqual([failure])
    expect(committed).toEqual([])
  })

  test("F59: partitions are given up when handlers have ended; those that give up then are no failure", async () => {
    const { tenure, hooks, begun, failures, end } = stage([aMessage(0, "a"), aMessage(1, "b"), aMessage(2, "c")], 2)
    await begun.reach(2)
    tenure.release()
    let isGivenUp = false
    const givenUp = hooks.onRevoked?.(tenure).then(() => {
      isGivenUp = true
    })
    end(0)
    await quiet()
    expect(isGivenUp).toBe(false)
    end(1, new Error("rolled back"))
    await givenUp
    expect(begun.items).toEqual([0n, 1n])
    expect(failures).toEqual([])
  })
})
