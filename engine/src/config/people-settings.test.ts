// The settings of users and tokens: what is taken, what is refused, and what does not go together.
import { generateKeyPairSync } from "node:crypto"
import { mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { afterAll, describe, expect, test } from "vitest"
import { describeConfig, loadConfig } from "../config.ts"
import { openPeople } from "../open-people.ts"
import { groupScopes } from "./people-settings.ts"

const SECRET = "0123456789abcdef0123456789abcdef"
const folder = mkdtempSync(join(tmpdir(), "millrace-keys-"))
afterAll(() => rmSync(folder, { recursive: true }))

const config = (env: Record<string, string>) => loadConfig({ env, cpus: 2 })

describe("E-39: users and tokens", () => {
  test("E-39: nothing is on by default", () => {
    expect(config({})).toMatchObject({
      registration: false,
      jwtSecret: undefined,
      jwtKeyFiles: [],
      oidcIssuer: undefined,
    })
    expect(config({ WE_REGISTRATION: "on" }).registration).toBe(true)
  })

  test.each([
    [{ WE_JWT_SECRET: SECRET.slice(1) }, "at least 32 bytes"],
    [{ WE_JWT_SECRET: SECRET, WE_JWT_KEY_FILES: "a.pem" }, "do not go together"],
    [{ WE_JWT_SECRET_BEFORE: SECRET }, "needs WE_JWT_SECRET"],
    [{ WE_JWT_TRUSTED_ISSUER: "x" }, "needs WE_JWT_TRUSTED_AUDIENCE"],
    [{ WE_JWT_TRUSTED_ISSUER: "x", WE_JWT_TRUSTED_AUDIENCE: "y" }, "needs WE_JWT_JWKS_URL or WE_JWT_JWKS_FILE"],
    [{ WE_JWT_TRUSTED_ISSUER: "millrace" }, "a name of its own"],
    [{ WE_JWT_JWKS_URL: "https://a.example/keys" }, "not used without WE_JWT_TRUSTED_ISSUER"],
    [{ WE_JWT_JWKS_URL: "http://a.example/keys" }, "a URL with https"],
    [{ WE_JWT_TRUSTED_ALGORITHM: "HS256" }, "one of RS256"],
    [{ WE_JWT_TRUSTED_ALGORITHM: "none" }, "one of RS256"],
    [{ WE_OIDC_ISSUER: "https://id.example" }, "needs WE_OIDC_CLIENT_ID"],
    [{ WE_OIDC_ISSUER: "https://id.example" }, "needs WE_OIDC_GROUPS"],
    [{ WE_OIDC_ISSUER: "http://id.example" }, "a URL with https"],
    [{ WE_OIDC_ISSUER: "https://a:b@id.example" }, "without a user"],
    [{ WE_OIDC_REDIRECT_URL: "https://a.example/elsewhere" }, "/auth/oidc/callback"],
    [{ WE_OIDC_GROUPS: "ops" }, "ops=admin"],
    [{ WE_OIDC_GROUPS: "ops=everything" }, "ops=admin"],
  ] as [Record<string, string>, string][])("SEC-10, SEC-20: %j is refused: %s", (env, message) => {
    expect(() => config(env)).toThrow(message)
  })

  test("SEC-55: secrets are hidden, also where they are refused", () => {
    const shown = JSON.stringify(describeConfig(config({ WE_JWT_SECRET: SECRET, WE_OIDC_CLIENT_SECRET: "canary" })))
    for (const secret of [SECRET, "canary"]) expect(shown).not.toContain(secret)
    expect(() => config({ WE_JWT_SECRET: "canary" })).toThrow("(hidden)")
  })

  test.each([
    ["ops=admin", { group: "ops", scopes: ["admin"] }],
    ["cn=ops,dc=x".split(",")[0] as string, undefined],
    ["a=b=instances:read+jobs:work:mail", { group: "a=b", scopes: ["instances:read", "jobs:work:mail"] }],
    ["=admin", undefined],
    ["ops=", undefined],
  ])("SEC-27: the group %s", (item, expected) => {
    expect(groupScopes(item)).toEqual(expected)
  })
})

describe("SEC-10: key files", () => {
  const file = (name: string, text: string): string => {
    writeFileSync(join(folder, name), text)
    return join(folder, name)
  }
  const kernel = { db: {} } as never

  test("SEC-11: are read at the start; one that is no good stops it, with the setting's name and nothing of the key", () => {
    const pem = generateKeyPairSync("ed25519").privateKey.export({ format: "pem", type: "pkcs8" }) as string
    const good = file("good.pem", pem)
    const { tokens } = openPeople(config({ WE_JWT_KEY_FILES: good }), kernel)
    expect([tokens.signs, tokens.published]).toEqual([true, [expect.objectContaining({ kty: "OKP", alg: "EdDSA" })]])
    expect(openPeople(config({}), kernel).tokens.signs).toBe(false)
    const bad = file("bad.pem", "canary")
    const trusted = { WE_JWT_TRUSTED_ISSUER: "x", WE_JWT_TRUSTED_AUDIENCE: "y" }
    for (const [env, message] of [
      [{ WE_JWT_KEY_FILES: bad }, "WE_JWT_KEY_FILES: not a private key"],
      [{ WE_JWT_KEY_FILES: join(folder, "none") }, "WE_JWT_KEY_FILES: the file"],
      [{ ...trusted, WE_JWT_JWKS_FILE: bad }, "WE_JWT_JWKS_FILE: not JSON"],
      [{ ...trusted, WE_JWT_JWKS_FILE: file("empty.json", "{}") }, "WE_JWT_JWKS_FILE: a key set is"],
    ] as [Record<string, string>, string][]) {
      const opening = () => openPeople(config(env), kernel)
      expect(opening).toThrow(message)
      expect(opening).not.toThrow("canary")
    }
  })
})
