// Words about what was done: bounded, and equal ones counted.
import { expect, test } from "vitest"
import { type Word, withWord } from "./toast-words.ts"

const said = (...texts: readonly string[]) =>
  texts
    .reduce<readonly Word[]>((words, text, id) => withWord(words, { id, text, times: 1 }), [])
    .map(({ text, times }) => `${text} ${times}`)

test("at most three are there, the newest last", () => {
  expect(said("a", "b", "c", "d")).toEqual(["b 1", "c 1", "d 1"])
})

test("equal ones are one, counted, and as new as the last of them", () => {
  expect(said("a", "b", "a", "a")).toEqual(["b 1", "a 3"])
})
