// Users on a real database: added, changed, and what their sign-ins cost.
import { randomBytes } from "node:crypto"
import { Passwords } from "@millrace/guard/credentials"
import { afterAll, afterEach, beforeAll, describe, expect, test, vi } from "vitest"
import { createTestEngine, type TestEngine } from "../../test-support/test-engine.ts"
import { signInUser } from "./sign-in.ts"
import {
  addUser,
  changeOwnPassword,
  changeUser,
  listUsers,
  type NewUser,
  passwordsOf,
  setPassword,
  type UserRow,
} from "./users.ts"

const RIGHT = "plum otter lantern"
/** As bcrypt has hashed `a short one`, with a cost that a test can pay. */
const BY_BCRYPT = "$2b$04$Nidsh5KbU2ueWpxzWs8.gurN4BdWfJBLfUEetK007KG3DlOUP14k."

let engine: TestEngine
beforeAll(async () => {
  engine = await createTestEngine({ DB_MAX_CONNS: "2" })
})
afterEach(async () => {
  vi.restoreAllMocks()
  await engine.db.script("truncate millrace.users restart identity")
})
afterAll(() => engine.close())

const store = () => ({ db: engine.db, passwords: passwordsOf(engine.kernel) })
const add = (more: Partial<NewUser> = {}) =>
  addUser(store(), { username: "ada", email: "ada@example.com", password: RIGHT, ...more })
const signIn = (username = "ada", password = RIGHT) => signInUser(engine.kernel, { username, password })
const stored = async () => (await engine.db.script("select hashed_password, token_version from millrace.users"))[0]!

test.each(["demote", "disable"] as const)(
  "S23: one that is changed while its password is looked at does not come in with what it was: %s",
  async (change) => {
    await add({ role: "ADMIN" })
    const passwords = passwordsOf(engine.kernel)
    const check = passwords.check.bind(passwords)
    vi.spyOn(passwords, "check").mockImplementation(async (...given) => {
      const checked = await check(...given)
      await changeUser(engine.db, change, "ada")
      return checked
    })
    expect(await signIn()).toBeUndefined()
  },
)

describe("E-22: a user", () => {
  test("E-22: has what the table says, and of its password only the hash is stored", async () => {
    const added = await add()
    expect(added).toMatchObject({
      username: "ada",
      email: "ada@example.com",
      is_active: true,
      role: "USER",
      token_version: 1,
      signed_in_at: null,
    })
    expect(added.id).toMatch(/^[0-9a-f]{16}$/)
    expect(JSON.stringify(added)).not.toContain("argon2")
    expect((await stored()).hashed_password).toMatch(/^\$argon2id\$v=19\$m=19456,t=2,p=1\$/)
    const dump = JSON.stringify(await engine.db.script("select u::text as row from millrace.users u"))
    expect(dump).not.toContain(RIGHT)
  })

  test.each([{ username: "ada" }, { username: "ADA" }, { email: "ada@example.com" }, { email: "Ada@Example.COM" }])(
    "E-18: one name or address is one user, in whichever letters: %j",
    async (taken) => {
      await add()
      const other = add({ username: "grace", email: "grace@example.com", ...taken })
      await expect(other).rejects.toMatchObject({ code: "conflict", isDuplicate: true })
      expect(await listUsers(engine.db)).toHaveLength(1)
    },
  )

  test("E-18: of ten that register the same name at once, one is added", async () => {
    const all = await Promise.allSettled(
      Array.from({ length: 10 }, (_, n) => add({ email: `ada${n}@example.com`, username: n % 2 ? "ada" : "Ada" })),
    )
    expect(all.filter(({ status }) => status === "fulfilled")).toHaveLength(1)
  })

  test("every violation is named at once, and nothing is hashed for it", async () => {
    const hash = vi.spyOn(Passwords.prototype, "hash")
    const refused = add({ username: "a b", email: "ada", password: "short" })
    await expect(refused).rejects.toMatchObject({
      code: "bad-request",
      details: [{ path: "$.username" }, { path: "$.email" }, { path: "$.password" }],
    })
    expect(hash).not.toHaveBeenCalled()
  })

  test.each(["admin", "ADMIN", "root", "administrator", "superuser"])(
    "E-31: %s is a USER like any other",
    async (username) => {
      expect(await add({ username })).toMatchObject({ role: "USER" })
      expect(await signIn(username)).toMatchObject({ role: "USER" })
    },
  )
})

describe("E-T8: signing in", () => {
  test("E-T8: takes the right password, by a name in any letters, and notes when", async () => {
    const { id } = await add()
    expect(await signIn("ADA")).toMatchObject({ id, username: "ada", signed_in_at: expect.any(Number) })
  })

  test.each(["wrong", "", "Plum otter lantern", `${RIGHT} `, "$argon2id$v=19$m=19456,t=2,p=1$"])(
    "E-T8: %j is refused",
    async (password) => {
      await add()
      expect(await signIn("ada", password)).toBeUndefined()
      expect((await listUsers(engine.db))[0]?.signed_in_at).toBeNull()
    },
  )

  test("SEC-21: an unknown name costs the statements and the hashes of a wrong password", async () => {
    await add()
    const check = vi.spyOn(Passwords.prototype, "check")
    const query = vi.spyOn(engine.db, "query")
    const costOf = async (username: string) => {
      check.mockClear()
      query.mockClear()
      expect(await signIn(username, "wrong wrong wrong")).toBeUndefined()
      return [
        check.mock.calls.length,
        query.mock.calls.map(([{ name }]) => name).filter((name) => name.startsWith("users.")),
      ]
    }
    const known = await costOf("ada")
    expect(known).toEqual([1, ["users.findUserByName"]])
    expect(await costOf("grace")).toEqual(known)
    expect(await costOf("' or 1=1 --")).toEqual(known)
    await changeUser(engine.db, "disable", "ada")
    expect(await costOf("ada")).toEqual(known)
  })

  test("E-40: a hash of bcrypt is verified, and made anew with argon2id", async () => {
    await add()
    await engine.db.script(`update millrace.users set hashed_password = '${BY_BCRYPT}'`)
    expect(await signIn("ada", "a wrong one")).toBeUndefined()
    expect((await stored()).hashed_password).toBe(BY_BCRYPT)
    expect(await signIn("ada", "a short one")).toMatchObject({ username: "ada", token_version: 1 })
    const { hashed_password: anew } = await stored()
    expect(anew).toMatch(/^\$argon2id\$/)
    expect(await signIn("ada", "a short one")).toBeDefined()
    expect((await stored()).hashed_password).toBe(anew)
  })

  test("E-41: a user that is disabled while the password is hashed is not signed in", async () => {
    await add()
    const check = Passwords.prototype.check
    vi.spyOn(Passwords.prototype, "check").mockImplementation(async function (this: Passwords, ...asked) {
      const checked = await check.apply(this, asked)
      await changeUser(engine.db, "disable", "ada")
      return checked
    })
    expect(await signIn()).toBeUndefined()
  })

  test("E-23: no connection is held while a password is hashed", async () => {
    await add()
    let begun = 0
    let end = () => {}
    const ended = new Promise<void>((resolve) => {
      end = resolve
    })
    vi.spyOn(Passwords.prototype, "check").mockImplementation(async () => {
      begun += 1
      await ended
      return { matches: false, isWeak: false }
    })
    // More than there are connections: each has read its user and waits for its hash.
    const attempts = Array.from({ length: 10 }, () => signIn())
    await expect.poll(() => begun).toBe(10)
    expect(await engine.db.script("select 1 as one")).toEqual([{ one: 1 }])
    end()
    expect(await Promise.all(attempts)).toEqual(Array.from({ length: 10 }))
  })
})

describe("E-21, E-41: changing a user", () => {
  test("E-21: promoting leaves tokens as they are; demoting, disabling and a new password end them", async () => {
    await add()
    const versionAfter = async (change: () => Promise<void>) => {
      await change()
      return (await stored()).token_version
    }
    const to = (change: "promote" | "demote" | "disable" | "enable") => () => changeUser(engine.db, change, "Ada")
    expect(await versionAfter(to("promote"))).toBe(1)
    expect(await versionAfter(to("demote"))).toBe(2)
    expect(await versionAfter(to("disable"))).toBe(3)
    expect(await signIn()).toBeUndefined()
    expect(await versionAfter(to("enable"))).toBe(3)
    expect(await signIn()).toBeDefined()
    expect(await versionAfter(() => setPassword(store(), "ada", "seven quiet herons"))).toBe(4)
    expect([await signIn(), await signIn("ada", "seven quiet herons")]).toEqual([undefined, expect.anything()])
  })

  test("SEC-17: a password that an operator sets while its owner changes it stays, and so does a disabled user", async () => {
    const user = await add()
    for (const meanwhile of [
      () => setPassword(store(), "ada", "seven quiet herons"),
      () => changeUser(engine.db, "disable", "ada"),
    ]) {
      const signedIn = { ...user, token_version: (await stored()).token_version as number }
      await meanwhile()
      const before = await stored()
      const late = changeOwnPassword(store(), signedIn, "nine loud magpies")
      await expect(late).rejects.toMatchObject({ code: "unauthenticated" })
      expect(await stored()).toEqual(before)
    }
    await changeUser(engine.db, "enable", "ada")
    const now = await signIn("ada", "seven quiet herons")
    await changeOwnPassword(store(), now as UserRow, "nine loud magpies")
    expect(await signIn("ada", "nine loud magpies")).toBeDefined()
  })

  test("a name that nobody has, and a password that is too weak, are told so", async () => {
    await expect(changeUser(engine.db, "promote", "nobody")).rejects.toThrow("millrace users list")
    await expect(setPassword(store(), "nobody", "seven quiet herons")).rejects.toThrow("no user nobody")
    await add()
    await expect(setPassword(store(), "ada", "password1234")).rejects.toThrow("tried first")
    expect(await signIn()).toBeDefined()
  })
})

test("SEC-20: more attempts than the line takes are told to come back, and the others are served", async () => {
  await add()
  const names = Array.from({ length: 60 }, (_, n) => (n % 2 ? "ada" : randomBytes(4).toString("hex")))
  const all = await Promise.allSettled(names.map((name) => signIn(name)))
  const refused = all.filter((one) => one.status === "rejected")
  expect(refused.length).toBeGreaterThan(0)
  for (const { reason } of refused) expect(reason).toMatchObject({ code: "unavailable", retryAfterSeconds: 1 })
  expect(all.length - refused.length).toBeGreaterThanOrEqual(18)
  expect(await signIn()).toBeDefined()
})
