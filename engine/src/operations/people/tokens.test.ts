// Tokens on a real database: who they stand for, and how soon they are refused.
import { generateKeyPairSync } from "node:crypto"
import { fileKeys, publishedKeys, secretKeys, signToken } from "@millrace/guard/credentials"
import { afterAll, afterEach, beforeAll, describe, expect, test, vi } from "vitest"
import { loadConfig } from "../../config.ts"
import { openPeople } from "../../open-people.ts"
import { createTestEngine, type TestEngine } from "../../test-support/test-engine.ts"
import { type TokenOptions, Tokens } from "./tokens.ts"
import { addUser, changeUser, passwordsOf, setPassword, type UserRow } from "./users.ts"

const PASSWORD = "plum otter lantern"
const SECRET = "0123456789abcdef0123456789abcdef"
const own = { issuer: "millrace", audience: "millrace", keys: secretKeys([SECRET]) }

let engine: TestEngine
let ada: UserRow
beforeAll(async () => {
  engine = await createTestEngine()
})
afterEach(() => {
  vi.restoreAllMocks()
  // A spy leaves a method of its own behind, which would hide the fake clock of the next file.
  Reflect.deleteProperty(performance, "now")
})
afterAll(() => engine.close())

const replica = (options: TokenOptions = { own }) => new Tokens(engine.kernel, options)
const store = () => ({ db: engine.db, passwords: passwordsOf(engine.kernel) })

async function newUser(role: "USER" | "ADMIN" = "USER"): Promise<{ user: UserRow; token: string; tokens: Tokens }> {
  await engine.db.script("delete from millrace.users")
  ada = await addUser(store(), { username: "ada", email: "ada@example.com", password: PASSWORD, role })
  const tokens = replica()
  return { user: ada, token: (await tokens.issue(ada)).token, tokens }
}

/** Moves this process's own clock, by which it remembers. */
function pass(ms: number): void {
  const now = performance.now.bind(performance)
  vi.spyOn(performance, "now").mockImplementation(() => now() + ms)
}

describe("SEC-12, SEC-27: engines of several schemas with one secret", () => {
  const tokensOf = (env: Record<string, string>) =>
    openPeople(loadConfig({ env: { WE_JWT_SECRET: SECRET, ...env } }), engine.kernel).tokens

  test("SEC-27: a token of one counts at no other: an administrator of one is none of another", async () => {
    const { user } = await newUser("ADMIN")
    const engines = [{}, { WE_SCHEMA: "shop" }, { WE_SCHEMA: "bank" }].map(tokensOf)
    for (const from of engines) {
      const { token } = await from.issue(user)
      const found = await Promise.all(engines.map((at) => at.find(token)))
      expect(found.map((principal) => principal !== undefined)).toEqual(engines.map((at) => at === from))
    }
  })

  test("SEC-12: the tokens of the usual schema say `millrace` as before, and WE_JWT_AUDIENCE goes before all", async () => {
    const { user, token } = await newUser()
    expect(await tokensOf({}).find(token)).toBeDefined()
    const { token: shared } = await tokensOf({ WE_SCHEMA: "shop", WE_JWT_AUDIENCE: "all" }).issue(user)
    expect(await tokensOf({ WE_SCHEMA: "bank", WE_JWT_AUDIENCE: "all" }).find(shared)).toBeDefined()
    expect(await tokensOf({ WE_SCHEMA: "bank" }).find(shared)).toBeUndefined()
  })
})

describe("E-03: a token of ours", () => {
  test.each([
    ["USER", ["gateway"]],
    ["ADMIN", ["admin"]],
  ] as const)("E-03, E-39: stands for a %s, with the scopes of the role", async (role, scopes) => {
    const { user, token, tokens } = await newUser(role)
    const expected = { id: user.id, name: "ada", scopes, subject: `user:${user.id}` }
    expect(await tokens.find(token)).toEqual(expected)
    expect(await replica().find(token)).toEqual(expected)
  })

  test("E-21, SEC-17: a hundred calls with it read the list once, and no user", async () => {
    const { token, tokens } = await newUser()
    const query = vi.spyOn(engine.db, "query")
    // Two seconds have passed on a machine that is slow enough; here they have not. It is later than whatever was read before.
    const later = performance.now() + 3_000
    vi.spyOn(performance, "now").mockReturnValue(later)
    await Promise.all(Array.from({ length: 50 }, () => tokens.find(token)))
    for (let n = 0; n < 50; n++) await tokens.find(token)
    const asked = query.mock.calls.map(([{ name }]) => name).filter((name) => name.startsWith("users."))
    expect(asked).toEqual(["users.listRevoked"])
  })

  test("E-03: is over after half an hour, and the leeway of half a minute", async () => {
    const { token, tokens } = await newUser()
    await engine.advanceClock(29 * 60_000)
    expect(await tokens.find(token)).toBeDefined()
    await engine.advanceClock(2 * 60_000)
    expect(await tokens.find(token)).toBeUndefined()
  })

  test.each([
    { role: "ROOT", ver: 1 },
    { role: "ADMIN" },
    { role: "ADMIN", ver: "1" },
    { ver: 1 },
    { role: ["ADMIN"], ver: 1 },
    { role: "ADMIN", ver: 1.5 },
  ])("E-31: without a role and a version of ours it is refused: %j", async (claims) => {
    const { tokens } = await newUser()
    const token = await signToken(own.keys, { ...own, subject: ada.id, claims }, engine.kernel.clock.nowMs())
    expect(await tokens.find(token)).toBeUndefined()
  })

  test.each(["", "x", "a.b.c", "eyJ.eyJ.e", "x".repeat(5_000), "a.".repeat(4_000)])(
    "SEC-13: %j is none",
    async (text) => {
      expect(await replica().find(text)).toBeUndefined()
    },
  )
})

describe("E-41, SEC-17: a token that is taken back", () => {
  const ends: [string, () => Promise<void>][] = [
    ["a demotion", () => changeUser(engine.db, "demote", "ada")],
    ["disabling", () => changeUser(engine.db, "disable", "ada")],
    ["a new password", () => setPassword(store(), "ada", "seven quiet herons")],
  ]
  test.each(ends)("E-41: after %s it is refused within five seconds on every replica", async (_, end) => {
    const { token, tokens } = await newUser("ADMIN")
    const other = replica()
    for (const one of [tokens, other]) expect(await one.find(token)).toBeDefined()
    await end()
    pass(2_000)
    for (const one of [tokens, other, replica()]) expect(await one.find(token)).toBeUndefined()
  })

  test("E-41: enabling the user again does not bring it back; a new sign-in does", async () => {
    const { token } = await newUser()
    await changeUser(engine.db, "disable", "ada")
    await changeUser(engine.db, "enable", "ada")
    expect(await replica().find(token)).toBeUndefined()
    const fresh = await replica().issue({ ...ada, token_version: 2 })
    expect(await replica().find(fresh.token)).toBeDefined()
  })

  test("E-21: after a promotion the old token is still a USER's; a new one says ADMIN", async () => {
    const { token } = await newUser()
    await changeUser(engine.db, "promote", "ada")
    expect(await replica().find(token)).toMatchObject({ scopes: ["gateway"] })
    const fresh = await replica().issue({ ...ada, role: "ADMIN" })
    expect(await replica().find(fresh.token)).toMatchObject({ scopes: ["admin"] })
  })

  test("E-41: the list keeps those that a token can be left of, and forgets the others", async () => {
    const { token } = await newUser()
    await changeUser(engine.db, "disable", "ada")
    const listed = async () =>
      (
        await engine.db.script(
          "select count(*)::int as n from millrace.users where revoked_at > millrace.clock() - interval '2 hours'",
        )
      )[0]?.n
    expect(await listed()).toBe(1)
    await engine.advanceClock(61 * 60_000)
    expect(await listed()).toBe(1)
    expect(await replica().find(token)).toBeUndefined()
    await engine.advanceClock(60 * 60_000)
    expect(await listed()).toBe(0)
    expect(await replica().find(token)).toBeUndefined()
  })

  test("E-35: while the list cannot be read, no token opens anything", async () => {
    const { token, tokens } = await newUser()
    expect(await tokens.find(token)).toBeDefined()
    pass(2_000)
    vi.spyOn(engine.db, "query").mockRejectedValue(new Error("the database is away"))
    await expect(tokens.find(token)).rejects.toThrow("away")
  })
})

describe("SEC-10: two issuers", () => {
  const pair = generateKeyPairSync("ed25519")
  const theirs = fileKeys([pair.privateKey.export({ format: "pem", type: "pkcs8" }) as string])
  const trusted = {
    issuer: "https://id.example.com",
    audience: "millrace",
    algorithm: "EdDSA",
    types: ["JWT"],
    keys: publishedKeys(JSON.parse(JSON.stringify({ keys: theirs.published })), "EdDSA"),
  } as const
  const made = (keys: typeof theirs, issuer: string, claims: Record<string, unknown> = {}, subject = "s-1") =>
    signToken(keys, { issuer, audience: "millrace", subject, claims }, engine.kernel.clock.nowMs())

  test("SEC-10: each is verified by its own keys alone, and stands for somebody of its own", async () => {
    const tokens = replica({ own, trusted })
    expect(await tokens.find(await made(theirs, trusted.issuer, { name: "Grace" }))).toEqual({
      id: "s-1",
      name: "Grace",
      scopes: ["gateway"],
      subject: "token:s-1",
    })
    expect(await tokens.find(await made(theirs, trusted.issuer, { role: "ADMIN" }))).toMatchObject({
      scopes: ["admin"],
    })
    expect(await tokens.find(await made(theirs, "millrace", { role: "ADMIN", ver: 1 }))).toBeUndefined()
    expect(await tokens.find(await made(own.keys as never, trusted.issuer))).toBeUndefined()
    expect(await tokens.find(await made(theirs, "https://evil.test"))).toBeUndefined()
    expect(await replica().find(await made(theirs, trusted.issuer))).toBeUndefined()
  })

  test("SEC-62: whatever its subject, it is never one of our users or keys", async () => {
    const tokens = replica({ own, trusted })
    const { user } = await newUser()
    for (const subject of [user.id, `user:${user.id}`, "key:1"])
      expect((await tokens.find(await made(theirs, trusted.issuer, {}, subject)))?.subject).toBe(`token:${subject}`)
    expect(await tokens.find(await made(theirs, trusted.issuer, {}, "a\nb"))).toBeUndefined()
  })
})
