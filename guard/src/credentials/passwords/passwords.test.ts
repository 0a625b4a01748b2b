// Hashing as it is: real argon2 and bcrypt; what is counted are the calls, which run all the same.
import * as argon2 from "@node-rs/argon2"
import * as bcrypt from "@node-rs/bcrypt"
import { afterEach, describe, expect, test, vi } from "vitest"
import { Overloaded } from "./hash-line.ts"
import { Passwords } from "./passwords.ts"

vi.mock("@node-rs/argon2", { spy: true })
afterEach(() => void vi.clearAllMocks())

const RIGHT = "plum otter lantern"

describe("E-40, SEC-20: a password", () => {
  test("SEC-20: is hashed with argon2id, 19 MiB, two passes, one lane, and a salt of its own", async () => {
    const passwords = new Passwords()
    const [one, two] = [await passwords.hash(RIGHT), await passwords.hash(RIGHT)]
    expect(one).toMatch(/^\$argon2id\$v=19\$m=19456,t=2,p=1\$/)
    expect(one).not.toBe(two)
    expect(await passwords.check(RIGHT, one)).toEqual({ matches: true, isWeak: false })
    expect(await passwords.check("plum otter lanterm", one)).toEqual({ matches: false, isWeak: false })
  })

  test("SEC-22: is the same however its characters are composed", async () => {
    const passwords = new Passwords()
    const stored = await passwords.hash("café au lait crème")
    expect((await passwords.check("café au lait crème".normalize("NFD"), stored)).matches).toBe(true)
  })

  test.each(["2a", "2b", "2y"] as const)(
    "E-40: a hash of bcrypt ($%s$) is verified, and known as weak",
    async (version) => {
      const stored = (await bcrypt.hash("short", 4)).replace(/^\$2\w\$/, `$$${version}$$`)
      const passwords = new Passwords()
      expect(await passwords.check("short", stored)).toEqual({ matches: true, isWeak: true })
      expect(await passwords.check("shorT", stored)).toEqual({ matches: false, isWeak: false })
    },
  )

  test("E-40: a hash with less than the figures of today is weak, one with more is not", async () => {
    const passwords = new Passwords()
    const made = (memoryCost: number, timeCost: number) => argon2.hash(RIGHT, { memoryCost, timeCost, parallelism: 1 })
    for (const [memory, time, isWeak] of [
      [8_192, 2, true],
      [19_456, 1, true],
      [32_768, 3, false],
    ] as const)
      expect(await passwords.check(RIGHT, await made(memory, time))).toEqual({ matches: true, isWeak })
  })

  test.each(["", "x", "$argon2id$", "$2b$04$short", "$9$"])(
    "a stored text that is no hash matches nothing: %j",
    async (stored) => {
      expect((await new Passwords().check(RIGHT, stored)).matches).toBe(false)
    },
  )
})

test("SEC-21: a name that is not known costs one hash with the figures of a known one, and matches nothing", async () => {
  const passwords = new Passwords()
  const stored = await passwords.hash(RIGHT)
  vi.clearAllMocks()
  await passwords.check("wrong", stored)
  await passwords.check("wrong", undefined)
  expect(await passwords.check("", undefined)).toEqual({ matches: false, isWeak: false })
  const costs = vi.mocked(argon2.verify).mock.calls.map(([hashed]) => argon2.parseOptions(hashed))
  expect(costs).toHaveLength(3)
  expect(new Set(costs.map((cost) => JSON.stringify(cost))).size).toBe(1)
})

test("SEC-20: two at once and twenty that wait, four of them known; the next one is refused before any work", async () => {
  const passwords = new Passwords()
  const stored = await passwords.hash(RIGHT)
  vi.clearAllMocks()
  let running = 0
  let most = 0
  const verify = vi.mocked(argon2.verify).getMockImplementation()
  const original = await vi.importActual<typeof argon2>("@node-rs/argon2")
  vi.mocked(argon2.verify).mockImplementation(async (...asked) => {
    running += 1
    most = Math.max(most, running)
    return original.verify(...asked).finally(() => (running -= 1))
  })
  const isKnown = () => true
  const all = await Promise.allSettled([
    ...Array.from({ length: 20 }, () => passwords.check(RIGHT, stored)),
    ...Array.from({ length: 10 }, () => passwords.check(RIGHT, stored, isKnown)),
  ])
  const refused = all.filter((one) => one.status === "rejected")
  expect(refused).toHaveLength(8)
  for (const { reason } of refused) expect(reason).toBeInstanceOf(Overloaded)
  expect([most, vi.mocked(argon2.verify).mock.calls.length]).toEqual([2, 22])
  expect((await passwords.check(RIGHT, stored)).matches).toBe(true)
  vi.mocked(argon2.verify).mockImplementation(verify ?? original.verify)
})

test("E-23: the event loop turns while a password is hashed", async () => {
  let turns = 0
  let done = false
  const hashing = new Passwords().hash(RIGHT).finally(() => (done = true))
  while (!done) {
    await new Promise((turn) => setImmediate(turn))
    turns += 1
  }
  await hashing
  // Hashed on the event loop, the promise would be settled before its first turn.
  expect(turns).toBeGreaterThan(1)
})
