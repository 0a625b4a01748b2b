// Sessions on a real database: how they begin and end, and that they never outlive their key.
import { afterAll, afterEach, beforeAll, describe, expect, test, vi } from "vitest"
import { holdLoops } from "../../test-support/loops.ts"
import { countRows } from "../../test-support/rows.ts"
import { createTestEngine, type TestEngine } from "../../test-support/test-engine.ts"
import { keepHouse } from "../upkeep/keep-house.ts"
import { createApiKey, KeyRing, type Principal, revokeApiKey } from "./api-keys.ts"
import { Sessions } from "./sessions.ts"
import { principalOfUser } from "./sign-in.ts"
import { addUser, passwordsOf } from "./users.ts"

const MINUTE = 60_000

let engine: TestEngine
let sessions: Sessions

beforeAll(async () => {
  engine = await createTestEngine()
  await holdLoops(engine.kernel)
})
afterEach(async () => {
  vi.restoreAllMocks()
  await engine.db.script("delete from millrace.sessions")
})
afterAll(() => engine.close())

/** A process with nothing in its memory. */
const replica = () => new Sessions(engine.db)

async function newKey(more: { expiresAt?: number } = {}): Promise<Principal> {
  const { key } = await createApiKey(engine.db, { name: "ada", scopes: ["instances:read"], ...more })
  sessions = replica()
  return (await new KeyRing(engine.db).find(key)) as Principal
}

/** Moves this process's own clock, by which it remembers. */
function remember(forMs: number): void {
  const now = performance.now.bind(performance)
  vi.spyOn(performance, "now").mockImplementation(() => now() + forMs)
}

describe("SEC-19: a session", () => {
  test("SEC-19: stands for its key, by an id of 256 random bits of which only the digest is stored", async () => {
    const key = await newKey()
    const ids = await Promise.all([sessions.start(key, []), sessions.start(key, [])])
    expect(new Set(ids).size).toBe(2)
    for (const id of ids) {
      // With a code of 128 bits over them.
      expect(Buffer.from(id, "base64url")).toHaveLength(48)
      expect(await sessions.use(id)).toEqual(key)
    }
    const rows = await engine.db.script("select s::text as row from millrace.sessions s")
    const stored = JSON.stringify(rows)
    for (const id of ids) {
      expect(stored).not.toContain(id)
      expect(stored).not.toContain(Buffer.from(id, "base64url").toString("hex"))
      expect(stored).not.toContain(Buffer.from(id).toString("hex"))
    }
  })

  test.each(["", "x", "s".repeat(63), "s".repeat(64), "s".repeat(65), `${"s".repeat(63)}\u0000`, "é".repeat(64)])(
    "SEC-19: %j is nobody's",
    async (id) => {
      await newKey()
      expect([await sessions.find(id), await sessions.use(id)]).toEqual([undefined, undefined])
    },
  )

  test("SEC-19: a new one ends those that were brought along, and none of them is taken over", async () => {
    const key = await newKey()
    const old = await sessions.start(key, [])
    const planted = "p".repeat(64)
    const id = await sessions.start(key, [old, planted])
    expect([old, planted]).not.toContain(id)
    for (const [one, owner] of [
      [old, undefined],
      [planted, undefined],
      [id, key],
    ] as const) {
      expect(await sessions.find(one)).toEqual(owner)
      expect(await replica().find(one)).toEqual(owner)
    }
  })

  test("SEC-19: one that is ended is over at once here, and elsewhere when the memory of it is", async () => {
    const key = await newKey()
    const id = await sessions.start(key, [])
    const other = replica()
    expect(await other.find(id)).toEqual(key)
    expect(await sessions.find(id)).toEqual(key)
    await sessions.end([id])
    expect(await sessions.find(id)).toBeUndefined()
    remember(3_001)
    expect(await other.find(id)).toBeUndefined()
  })

  test("SEC-19: of one key a hundred are kept, those that were used last", async () => {
    const key = await newKey()
    const first = await sessions.start(key, [])
    await engine.db.script(`insert into millrace.sessions (digest, key_id, created_at, seen_at)
      select sha256(n::text::bytea), '${key.id}', millrace.clock(), millrace.clock() + n * interval '1 ms' from generate_series(1, 120) n`)
    const another = await newKey()
    const anothers = await replica().start(another, [])
    const last = await sessions.start(key, [])
    expect(await countRows(engine.db, "sessions", `key_id = '${key.id}'`)).toBe(100)
    expect(await replica().find(first)).toBeUndefined()
    expect(await replica().find(last)).toEqual(key)
    expect(await replica().find(anothers)).toEqual(another)
  })
})

describe("SEC-19: the end of a session", () => {
  test("SEC-19: comes after 30 minutes without use", async () => {
    const id = await sessions.start(await newKey(), [])
    await engine.advanceClock(29 * MINUTE)
    expect(await replica().find(id)).toBeDefined()
    await engine.advanceClock(2 * MINUTE)
    expect(await replica().use(id)).toBeUndefined()
  })

  test("SEC-19: is put off by use and not by looking, and comes after 12 hours in any case", async () => {
    const key = await newKey()
    const used = await sessions.start(key, [])
    const watched = await sessions.start(key, [])
    for (let n = 0; n < 28; n++) {
      await engine.advanceClock(25 * MINUTE)
      expect(await replica().use(used)).toEqual(key)
      await replica().find(watched)
      if (n === 1) expect(await replica().find(watched)).toBeUndefined()
    }
    await engine.advanceClock(25 * MINUTE)
    expect(await replica().use(used)).toBeUndefined()
  })

  test("SEC-16: comes with its key, when it is revoked and when it expires", async () => {
    const key = await newKey()
    const id = await sessions.start(key, [])
    expect(await sessions.use(id)).toEqual(key)
    await revokeApiKey(engine.db, key.id)
    expect(await replica().use(id)).toBeUndefined()
    // Who remembers it does so for less than five seconds, however often it is asked.
    for (const passed of [1_000, 2_900]) {
      vi.restoreAllMocks()
      remember(passed)
      await sessions.use(id)
    }
    vi.restoreAllMocks()
    remember(3_100)
    expect(await sessions.use(id)).toBeUndefined()

    const brief = await newKey({ expiresAt: engine.kernel.clock.nowMs() + 10 * MINUTE })
    const second = await sessions.start(brief, [])
    await engine.advanceClock(11 * MINUTE)
    expect(await replica().use(second)).toBeUndefined()
  })

  test("SEC-19: use is written down once a minute at most", async () => {
    const id = await sessions.start(await newKey(), [])
    const seenAt = async () => (await engine.db.script("select seen_at from millrace.sessions"))[0]?.seen_at as number
    const begun = await seenAt()
    await engine.advanceClock(50_000)
    await replica().use(id)
    expect(await seenAt()).toBe(begun)
    await engine.advanceClock(15_000)
    await replica().find(id)
    expect(await seenAt()).toBe(begun)
    const one = replica()
    await one.use(id)
    const touched = await seenAt()
    expect(touched).toBeGreaterThan(begun)
    await engine.advanceClock(30_000)
    for (const process of [one, replica()]) await process.use(id)
    expect(await seenAt()).toBe(touched)
  })

  test("a use of the session is a use of the key", async () => {
    const key = await newKey()
    const id = await sessions.start(key, [])
    const usedAt = async () =>
      (await engine.db.script(`select last_used_at from millrace.api_keys where id = '${key.id}'`))[0]?.last_used_at
    const before = (await usedAt()) as number
    await engine.advanceClock(2 * MINUTE)
    await replica().use(id)
    expect(await usedAt()).toBeGreaterThan(before)
  })
})

test("SEC-19: housekeeping forgets what is over, and keeps what is not", async () => {
  const [kept, revoked] = [await newKey(), await newKey()]
  await replica().start(revoked, [])
  const idle = await replica().start(kept, [])
  await engine.advanceClock(31 * MINUTE)
  const alive = await replica().start(kept, [])
  await replica().start(revoked, [])
  await revokeApiKey(engine.db, revoked.id)
  await keepHouse(engine.kernel)
  expect(await countRows(engine.db, "sessions")).toBe(1)
  expect([await replica().find(idle), await replica().find(alive)]).toEqual([undefined, kept])
})

test("E-41: a session of a user that an engine of before migration 0019 has tidied away is over, and the user signs in again", async () => {
  const user = await addUser(
    { db: engine.db, passwords: passwordsOf(engine.kernel) },
    { username: "ada", email: "ada@example.com", password: "plum otter lantern" },
  )
  const [key, person] = [await newKey(), principalOfUser(user)]
  const [ofKey, ofUser] = [await replica().start(key, []), await replica().start(person, [])]
  // As that version has it: it knows of no sessions but those of keys.
  await engine.db.script(`delete from millrace.sessions s where not exists (
    select from millrace.api_keys k where k.id = s.key_id and k.revoked_at is null)`)
  expect([await replica().use(ofKey), await replica().use(ofUser)]).toEqual([key, undefined])
  expect(await replica().use(await replica().start(person, []))).toMatchObject({ name: "ada" })
})
