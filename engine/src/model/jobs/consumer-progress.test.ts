// What offsets say of messages: passed, waiting, or gone.
import { expect, test } from "vitest"
import { type ConsumerProgress, judgeProgress } from "./consumer-progress.ts"

const place = { jobType: "pick", partition: 1 }
const judge = (first: number, last: number, at: Partial<ConsumerProgress>) =>
  judgeProgress([{ ...place, first, last }], [{ ...place, committed: undefined, first: 0, end: 100, ...at }])
const NOTHING = { passed: [], lost: [], unusable: [] }

test("C-102: what the group has not committed waits", () => {
  expect(judge(5, 9, {})).toEqual(NOTHING)
  expect(judge(5, 9, { committed: 5 })).toEqual(NOTHING)
})

test("C-102: what it has committed is passed, also by a part", () => {
  expect(judge(5, 9, { committed: 7 })).toEqual({ ...NOTHING, passed: [{ ...place, offset: 7 }] })
  expect(judge(5, 9, { committed: 100 })).toEqual({ ...NOTHING, passed: [{ ...place, offset: 100 }] })
})

test("C-102: what the topic does not have any more is lost: made anew, removed, or gone", () => {
  expect(judge(5, 9, { end: 7 })).toEqual({ ...NOTHING, lost: [{ ...place, from: 7, to: 9 }] })
  expect(judge(5, 9, { end: 0 })).toEqual({ ...NOTHING, lost: [{ ...place, from: 5, to: 9 }] })
  expect(judge(5, 9, { first: 7 })).toEqual({ ...NOTHING, lost: [{ ...place, from: 5, to: 6 }] })
  expect(judge(5, 9, { first: 50 })).toEqual({ ...NOTHING, lost: [{ ...place, from: 5, to: 9 }] })
  expect(judgeProgress([{ ...place, first: 5, last: 9 }], [])).toEqual({
    ...NOTHING,
    lost: [{ ...place, from: 5, to: 9 }],
  })
})

test("C-102: what was passed before it was removed is not lost", () => {
  expect(judge(5, 9, { first: 7, committed: 7 })).toEqual({ ...NOTHING, passed: [{ ...place, offset: 7 }] })
})

test("C-102: a group beyond the end of its topic is believed nothing", () => {
  expect(judge(5, 9, { committed: 101 })).toEqual({ ...NOTHING, unusable: [place] })
  expect(judge(5, 9, { committed: 101, end: 6 })).toEqual({
    passed: [],
    lost: [{ ...place, from: 6, to: 9 }],
    unusable: [place],
  })
})
