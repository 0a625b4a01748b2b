import { expect, test } from "vitest"
import { downstream, lane, overviewOf } from "../test-support/overviews.ts"
import { figuresOf } from "./figures.ts"
import { raceWords } from "./words.ts"

test("a dry engine in words", () => {
  const words = raceWords(figuresOf(overviewOf()))
  expect(words[0]).toBe("Nothing waits and nothing moves.")
  expect(words).toContain("No worker asks for work: nothing is taken from the channels.")
  expect(words).toContain("Dead letters: 0. 0 jobs given up per second.")
})

test("a busy engine in words says every number of the picture", () => {
  const overview = overviewOf({
    intake: [{ door: "rest", acceptedPerSecond: 12.4, refusedPerSecond: 3 }],
    lanes: [
      lane("critical", { depth: 1, claimedPerSecond: 5, oldestWaitingSeconds: 61 }),
      lane("high", { paused: true }),
      lane("normal", { depth: 45, steps: 2, shut: true, lowWatermark: 10, highWatermark: 40 }),
    ],
    total: { depth: 46, highWatermark: 30_000, lowWatermark: 6_000, shut: false },
    workers: 8,
    busyWorkers: 3,
    deadLetters: 10_000,
    deadLettersAreExact: false,
    downstreams: [downstream("mail", { perSecond: 50, startedPerSecond: 4, waiting: 120, inFlight: 2 })],
    rates: { jobsCompleted: 4, completed: 1, jobsDead: 0.5 },
  })
  expect(raceWords(figuresOf(overview))).toEqual([
    "Intake: 12 jobs and instances accepted per second, 3.0 jobs refused.",
    "46 jobs in all; at 30,000 all new ones are refused.",
    "REST: 12 accepted per second.",
    "3.0 refused per second, because a gate is shut.",
    "critical: 1 job.",
    "Its gate is open, and shuts at 10,000.",
    "Workers take 60 of 100 jobs from here while all three have some; 5.0 per second now.",
    "The oldest waits for 1 min 1 s.",
    "high: 0 jobs.",
    "Its gate is open, and shuts at 10,000.",
    "Workers take 30 of 100 jobs from here while all three have some; 0 per second now.",
    "It is paused: nothing is taken from it.",
    "normal: 45 jobs and 2 steps of workflows.",
    "Its gate is shut: new jobs are refused until fewer than 10 are left.",
    "Workers take 10 of 100 jobs from here while all three have some; 0 per second now.",
    "3 of 8 workers are busy.",
    "They take 5.0 jobs and steps per second.",
    "mail: 4.0 of at most 50 per second.",
    "2 in flight, 120 held before it.",
    "Jobs that name no downstream: 1.0 per second.",
    "Done: 5.0 jobs and instances completed per second.",
    "Dead letters: 10,000+. 0.5 jobs given up per second.",
  ])
})

test("when all jobs are refused the intake says until when", () => {
  const total = { depth: 30_010, highWatermark: 30_000, lowWatermark: 6_000, shut: true }
  expect(raceWords(figuresOf(overviewOf({ total })))).toContain("All jobs are refused until 6,000 are left of 30,010.")
})
