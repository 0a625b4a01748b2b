// The line in front of hashing, with work that ends when the test says so: who gets a place, and who is told to come back.
import { beforeEach, describe, expect, test } from "vitest"
import { HashLine, Overloaded } from "./hash-line.ts"

let line: HashLine
let ends: (() => void)[]
beforeEach(() => {
  line = new HashLine({ atOnce: 2, waiting: 4, reserved: 1 })
  ends = []
})

/** Runs until its turn in `ends` comes. */
const work = (isKnown?: () => boolean | Promise<boolean>) =>
  line
    .run(() => new Promise<void>((end) => ends.push(end)), isKnown)
    .then(
      () => "done",
      (error) => (error instanceof Overloaded ? "refused" : error),
    )
const known = () => true

/** Lets every piece of work end, those that wait included. */
async function endAll<T>(all: readonly Promise<T>[]): Promise<T[]> {
  let isOver = false
  const over = Promise.all(all).finally(() => (isOver = true))
  while (!isOver) {
    for (const end of ends.splice(0)) end()
    await new Promise((turn) => setImmediate(turn))
  }
  return over
}

describe("SEC-20, SEC-61: the places of a full line", () => {
  test("SEC-61: strangers fill all but one, which a known caller gets; the next known one is refused too", async () => {
    const strangers = Array.from({ length: 7 }, () => work())
    const owners = [work(known), work(known)]
    expect(await endAll([...strangers, ...owners])).toEqual([
      ...Array(5).fill("done"),
      "refused",
      "refused",
      "done",
      "refused",
    ])
  })

  test("whether a caller is known is asked only where the other places are taken", async () => {
    let asked = 0
    const isKnown = () => {
      asked++
      return false
    }
    const five = Array.from({ length: 5 }, () => work(isKnown))
    expect(asked).toBe(0)
    expect([await work(isKnown), asked]).toEqual(["refused", 1])
    await endAll(five)
  })

  test("a caller that turns out to be known when the line has emptied is served at once", async () => {
    let answer = (_: boolean) => {}
    const five = Array.from({ length: 5 }, () => work())
    const owner = work(() => new Promise((resolve) => (answer = resolve)))
    await endAll(five)
    answer(true)
    expect(await endAll([owner])).toEqual(["done"])
  })

  test("work that fails gives its place to the next", async () => {
    const failing = line.run(() => Promise.reject(new Error("broken")))
    await expect(failing).rejects.toThrow("broken")
    expect(await endAll(Array.from({ length: 5 }, () => work()))).toEqual(Array(5).fill("done"))
  })
})
