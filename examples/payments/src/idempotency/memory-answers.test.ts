// Answers and locks in memory, with a clock that the test moves.
import { expect, test } from "vitest"
import { MemoryAnswers } from "./memory-answers.ts"

const answer = { hash: "h", status: 202, body: { payment_id: "p" } }

function withClock() {
  const clock = { nowMs: 0 }
  return { clock, answers: new MemoryAnswers({ answerSeconds: 86_400, lockSeconds: 30 }, () => clock.nowMs) }
}

test("F-02: an answer lives for a day", async () => {
  const { clock, answers } = withClock()
  const { lock = "" } = await answers.begin("k")
  await answers.keep("k", lock, answer)
  clock.nowMs = 86_399_999
  expect(await answers.begin("k")).toEqual({ answer })
  clock.nowMs = 86_400_000
  expect(await answers.begin("k")).toMatchObject({ lock: expect.any(String) })
})

test("F-03: a lock is held by one, and free after its release or after 30 s", async () => {
  const { clock, answers } = withClock()
  const { lock = "" } = await answers.begin("k")
  expect(await answers.begin("k")).toEqual({})
  await answers.release("k", lock)
  expect((await answers.begin("k")).lock).toBeDefined()
  clock.nowMs = 30_000
  expect((await answers.begin("k")).lock).toBeDefined()
})

test("F-X5: a lock that ran out and was taken by another is not released by its first owner", async () => {
  const { clock, answers } = withClock()
  const { lock: first = "" } = await answers.begin("k")
  clock.nowMs = 30_000
  await answers.begin("k")
  await answers.release("k", first)
  expect(await answers.begin("k")).toEqual({})
})

test("what has run out is forgotten", async () => {
  const { clock, answers } = withClock()
  await answers.keep("old", "", answer)
  clock.nowMs = 86_400_000
  await answers.keep("new", "", answer)
  expect((await answers.begin("old")).answer).toBeUndefined()
  expect((await answers.begin("new")).answer).toEqual(answer)
})
