// The kill test in its short form, as `npm run chaos -- --kills 6 --in-process` runs it, and the schedule it follows.
import { expect, test } from "vitest"
import { HELP, readOptions } from "./options.ts"
import { seeded } from "./random.ts"
import { runChaos } from "./run-chaos.ts"
import { killCount, scheduleKills } from "./schedule.ts"

/** Half a minute each: the short run has the tests of every single fault. */
const isShort = !process.env.MILLRACE_FULL_TESTS

test.skipIf(isShort)(
  "F01, F02, F03, F04, F10, F61, S1, S2, S3, S7, S8, S20, S21: engines killed at random lose nothing, double nothing and leave nothing stuck",
  async () => {
    const seed = Date.now() % 1_000_000_007
    console.info(`chaos: seed ${seed}`)
    const options = {
      kills: 6,
      minutes: Infinity,
      nodes: 2,
      seed,
      withPostgres: false,
      withRest: false,
      withKafka: false,
      flood: false,
      jobs: 0,
      workers: [],
      folder: undefined,
    }
    const { facts, violations, samples } = await runChaos(options)
    expect(violations).toEqual([])
    expect(facts.accepted).toBeGreaterThan(20)
    expect(facts.outcomes.COMPLETED).toBeGreaterThan(20)
    expect(facts.jobs.accepted).toBeGreaterThan(20)
    expect(facts.jobs.completed).toBeGreaterThan(20)
    expect(samples).toBeGreaterThan(20)
  },
  600_000,
)

test("a seed gives one schedule, and every kill counts", () => {
  const limits = { kills: 50, slots: 4, withPostgres: true }
  const schedule = [...scheduleKills(seeded(5), limits)]
  expect([...scheduleKills(seeded(5), limits)]).toEqual(schedule)
  expect([...scheduleKills(seeded(6), limits)]).not.toEqual(schedule)
  const counted = schedule.reduce((sum, kill) => sum + killCount(kill), 0)
  expect(counted).toBeGreaterThanOrEqual(50)
  expect(schedule.some(({ victims }) => victims === "postgres")).toBe(true)
})

test("with Kafka the broker, its workers and the database are killed too, each within a short run", () => {
  const limits = { kills: 20, slots: 7, withPostgres: true, kafkaWorkers: 2 }
  for (const seed of [1, 2, 3]) {
    const single = [...scheduleKills(seeded(seed), limits)].filter(({ victims }) => victims.length !== 7)
    expect(single.filter(({ victims }) => victims === "broker").length).toBeGreaterThan(0)
    expect(single.filter(({ victims }) => victims === "postgres").length).toBeGreaterThan(0)
    const hit = single.flatMap(({ victims }) => (typeof victims === "string" ? [] : victims))
    expect(hit.filter((slot) => slot >= 5).length).toBeGreaterThan(0)
    expect(hit.filter((slot) => slot < 5).length).toBeGreaterThan(hit.length / 2)
  }
})

test("zombies are frozen in turn, for longer than a lease, and never killed", () => {
  const schedule = [...scheduleKills(seeded(1), { kills: 100, slots: 6, withPostgres: true, zombies: 2 })]
  const frozen = schedule.filter(({ frozenMs }) => frozenMs !== undefined)
  expect(frozen.slice(0, 4).map(({ victims }) => victims)).toEqual([[4], [5], [4], [5]])
  expect(frozen.every(({ frozenMs = 0 }) => frozenMs > 10_000)).toBe(true)
  const killed = schedule.filter(({ frozenMs }) => frozenMs === undefined)
  expect(
    killed
      .flatMap(({ victims }) => (typeof victims === "string" ? [] : victims))
      .filter((slot) => slot === 4 || slot === 5),
  ).toEqual([])
  const counts = [schedule, killed].map((kills) => kills.reduce((sum, kill) => sum + killCount(kill), 0))
  expect(counts[0]).toBe(counts[1])
})

test("the command line is read strictly", () => {
  expect(readOptions(["--help"])).toBeUndefined()
  expect(HELP).toContain("--seed")
  expect(readOptions(["--kills", "3", "--seed", "9", "--in-process"])).toMatchObject({
    kills: 3,
    seed: 9,
    withRest: false,
  })
  expect(readOptions(["--minutes", "10"])).toMatchObject({ kills: Infinity, minutes: 10 })
  expect(readOptions([])).toMatchObject({ kills: 200, minutes: Infinity })
  expect(() => readOptions(["--kills", "many"])).toThrow("--kills must be a whole number")
  expect(readOptions(["--workers", "go,java"])).toMatchObject({ workers: ["go", "java"] })
  expect(readOptions(["--kafka"])).toMatchObject({ withKafka: true, withPostgres: true, withRest: true })
  expect(() => readOptions(["--kafka", "--in-process"])).toThrow("--kafka needs the REST server")
  expect(readOptions(["--flood", "--kills", "30"])).toMatchObject({ flood: true, withPostgres: true, jobs: 30_000 })
  expect(readOptions(["--flood", "--minutes", "2"])).toMatchObject({ jobs: 0, kills: Infinity })
  expect(readOptions(["--flood", "--jobs", "5"])).toMatchObject({ jobs: 5, kills: 200 })
  expect(() => readOptions(["--flood", "--kafka"])).toThrow("--flood needs the REST server")
  expect(() => readOptions(["--workers", "cobol"])).toThrow("--workers cobol")
  expect(() => readOptions(["--kils", "3"])).toThrow("kils")
})
