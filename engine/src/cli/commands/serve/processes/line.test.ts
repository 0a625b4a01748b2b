import { expect, test } from "vitest"
import { type Answers, Line, type Message } from "./line.ts"

/** Two ends whose messages go through JSON, as they do between processes. */
function pair(answers: { readonly one?: Answers; readonly other?: Answers } = {}) {
  const carrier = (to: () => Line) => ({
    send: (message: Message) => to().hear(JSON.parse(JSON.stringify(message)) as Message),
  })
  const one: Line = new Line(
    carrier(() => other),
    answers.one ?? {},
  )
  const other: Line = new Line(
    carrier(() => one),
    answers.other ?? {},
  )
  return { one, other }
}

test("either end asks and is answered, each question by its own answer", async () => {
  const { one, other } = pair({
    one: { name: () => "one" },
    other: { add: ([a, b]: readonly [number, number]) => Promise.resolve(a + b), nothing: () => undefined },
  })
  const sums = [one.ask("add", [1, 2]), one.ask("add", [3, 4]), one.ask("nothing"), other.ask("name")]
  expect(await Promise.all(sums)).toEqual([3, 7, undefined, "one"])
})

test("what the other end throws is told, and so is a question that it does not know", async () => {
  const { one } = pair({
    other: {
      fail: () => {
        throw new Error("no room")
      },
    },
  })
  await expect(one.ask("fail")).rejects.toThrow("no room")
  await expect(one.ask("unknown")).rejects.toThrow("there is no answer to unknown")
})

test("when the line is cut, open questions and later ones are refused with the reason", async () => {
  const { one } = pair({ other: { never: () => new Promise(() => {}) } })
  const open = one.ask("never")
  one.cut("the other process is gone")
  await expect(open).rejects.toThrow("the other process is gone")
  await expect(one.ask("never")).rejects.toThrow("the other process is gone")
})

test("a question that could not be sent is refused", async () => {
  const line = new Line({ send: (_, failed) => failed(new Error("channel closed")) }, {})
  await expect(line.ask("anything")).rejects.toThrow("channel closed")
})
