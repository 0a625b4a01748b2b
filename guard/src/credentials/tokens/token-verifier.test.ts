// Tokens that are good, and the corpus of those that are not.
import { constants, createPublicKey, generateKeyPairSync, type KeyObject } from "node:crypto"
import { describe, expect, test } from "vitest"
import { byHmac, byKey, forge } from "./test-support/forge.ts"
import { fileKeys, type KeySource, publishedKeys, type SigningKeys, secretKeys } from "./token-keys.ts"
import { signToken, TOKEN_TYPE } from "./token-signer.ts"
import { type IssuerRules, isExpiredToken, verifyToken } from "./token-verifier.ts"

const NOW = Date.parse("2026-03-01T09:00:00Z")
const now = NOW / 1_000
const SECRET = "0123456789abcdef0123456789abcdef"
const rsa = generateKeyPairSync("rsa", { modulusLength: 2048 })
const otherRsa = generateKeyPairSync("rsa", { modulusLength: 2048 })
const ed = generateKeyPairSync("ed25519")
const pem = (key: KeyObject) => key.export({ format: "pem", type: "pkcs8" }) as string

const rulesOf = (keys: SigningKeys): IssuerRules => ({
  issuer: "millrace",
  audience: "millrace",
  algorithm: keys.algorithm,
  keys,
  types: [TOKEN_TYPE],
})
const hs = secretKeys([SECRET])
const rs = fileKeys([pem(rsa.privateKey)])
const eddsa = fileKeys([pem(ed.privateKey)])
const subject = { issuer: "millrace", audience: "millrace", subject: "u1", claims: { role: "USER" } }
const verify = (token: string, keys = hs, at = NOW) => verifyToken(token, rulesOf(keys), at)

const payload = { iss: "millrace", aud: "millrace", sub: "u1", role: "ADMIN", iat: now, nbf: now, exp: now + 1_800 }
const header = { alg: "HS256", typ: "JWT", kid: hs.kid }

describe("E-03: a token", () => {
  test.each([
    ["HS256", hs],
    ["RS256", rs],
    ["EdDSA", eddsa],
  ] as const)("E-03: %s: is signed for half an hour and verified", async (algorithm, keys) => {
    const token = await signToken(keys, subject, NOW)
    expect(JSON.parse(Buffer.from(token.split(".")[0] as string, "base64url").toString())).toEqual({
      alg: algorithm,
      typ: "JWT",
      kid: keys.kid,
    })
    expect(await verify(token, keys)).toEqual({ ...payload, role: "USER" })
    expect(await verify(token, keys, NOW + 1_800_000)).toBeDefined()
    expect(await verify(token, keys, NOW + 1_831_000)).toBeUndefined()
  })

  test("the forge of this test makes good tokens too: what it makes below is refused for its fault alone", async () => {
    expect(await verify(forge(header, payload, byHmac(SECRET)))).toBeDefined()
    expect(
      await verify(forge({ ...header, alg: "RS256", kid: rs.kid }, payload, byKey(rsa.privateKey)), rs),
    ).toBeDefined()
    const signed = forge({ ...header, alg: "EdDSA", kid: eddsa.kid }, payload, byKey(ed.privateKey, null))
    expect(await verify(signed, eddsa)).toBeDefined()
  })

  test("SEC-66: its time is over when it is no longer taken, and only a signature that is right proves it", async () => {
    const token = await signToken(hs, subject, NOW)
    const isExpired = (text: string, at: number) => isExpiredToken(text, rulesOf(hs), at)
    expect(await isExpired(token, NOW + 1_829_000)).toBe(false)
    expect(await isExpired(token, NOW + 1_831_000)).toBe(true)
    const old = { ...payload, iat: now - 3_600, nbf: now - 3_600, exp: now - 1_800 }
    expect(await isExpired(forge(header, old, byHmac(SECRET)), NOW)).toBe(true)
    expect(await isExpired(forge(header, old, byHmac("another secret")), NOW)).toBe(false)
    expect(await isExpired(forge(header, { ...old, aud: "another" }, byHmac(SECRET)), NOW)).toBe(false)
  })

  test("SEC-11: keys are rotated by their name: the first signs, the others are still taken", async () => {
    const before = fileKeys([pem(otherRsa.privateKey)])
    const both = fileKeys([pem(rsa.privateKey), pem(otherRsa.privateKey)])
    const old = await signToken(before, subject, NOW)
    expect(await verify(old, both)).toBeDefined()
    expect(await verify(await signToken(both, subject, NOW), rs)).toBeDefined()
    expect(await verify(old, rs)).toBeUndefined()
    expect(both.published.map(({ kid }) => kid)).toEqual([rs.kid, before.kid])
    expect(JSON.stringify(both.published)).not.toMatch(/"[dpq]":|"d[pq]":|"qi":/)
    const next = secretKeys(["another secret of more than 32 bytes", SECRET])
    expect(await verify(await signToken(hs, subject, NOW), next)).toBeDefined()
    expect(await verify(await signToken(next, subject, NOW), hs)).toBeUndefined()
    expect(next.published).toEqual([])
  })

  test("SEC-11: what is published verifies elsewhere", async () => {
    const keys = publishedKeys(JSON.parse(JSON.stringify({ keys: rs.published })), "RS256")
    const elsewhere = { ...rulesOf(rs), keys }
    expect(await verifyToken(await signToken(rs, subject, NOW), elsewhere, NOW)).toBeDefined()
  })

  test.each([
    ["a short secret", () => secretKeys(["0123456789abcdef0123456789abcde"]), "at least 32 bytes"],
    ["no key", () => fileKeys(["hello"]), "not a private key"],
    [
      "a small RSA key",
      () => fileKeys([pem(generateKeyPairSync("rsa", { modulusLength: 1024 }).privateKey)]),
      "at least 2048 bits",
    ],
    [
      "an EC key",
      () => fileKeys([pem(generateKeyPairSync("ec", { namedCurve: "P-256" }).privateKey)]),
      "RSA or Ed25519",
    ],
    ["two kinds", () => fileKeys([pem(rsa.privateKey), pem(ed.privateKey)]), "two kinds"],
  ])("SEC-10: %s is refused at the start", (_, make, message) => {
    expect(make).toThrow(message)
  })
})

describe("SEC-10: the algorithm is the issuer's, whatever the header says", () => {
  const publicPem = createPublicKey(rsa.privateKey).export({ format: "pem", type: "spki" }) as string
  const jwk = JSON.stringify(rsa.publicKey.export({ format: "jwk" }))
  const forms = [publicPem, publicPem.trim(), ` ${publicPem} `, `\uFEFF${publicPem}`, `# comment\n${publicPem}`, jwk]

  test.each(["none", "None", "nOnE", "NONE", ""])("SEC-10: alg %j", async (alg) => {
    for (const keys of [hs, rs, eddsa])
      for (const signature of ["", "AA", byHmac(SECRET)]) {
        const token = forge(
          { ...header, alg, kid: keys.kid },
          payload,
          typeof signature === "string" ? () => signature : signature,
        )
        expect(await verify(token, keys)).toBeUndefined()
        expect(await verify(`${token.slice(0, token.lastIndexOf("."))}.`, keys)).toBeUndefined()
      }
  })

  test.each(forms.map((form, at) => [at, form] as const))(
    "SEC-10: HS256 with the public key as the secret, form %i",
    async (_, form) => {
      for (const kid of [rs.kid, undefined])
        expect(await verify(forge({ ...header, kid }, payload, byHmac(form)), rs)).toBeUndefined()
    },
  )

  test("SEC-10: RS256 is not PS256, and the other way round", async () => {
    const pss = { padding: constants.RSA_PKCS1_PSS_PADDING, saltLength: 32 }
    const signers = [byKey(rsa.privateKey), byKey(rsa.privateKey, "sha256", pss)]
    const asPs: IssuerRules = {
      ...rulesOf(rs),
      algorithm: "PS256",
      keys: publishedKeys({ keys: [JSON.parse(jwk)] }, "PS256"),
    }
    for (const alg of ["RS256", "PS256", "RS384", "RS512"]) {
      const [plain, salted] = signers.map((signer) => forge({ alg, typ: "JWT" }, payload, signer)) as [string, string]
      expect((await verify(plain, rs)) !== undefined).toBe(alg === "RS256")
      expect(await verify(salted, rs)).toBeUndefined()
      expect((await verifyToken(salted, asPs, NOW)) !== undefined).toBe(alg === "PS256")
      expect(await verifyToken(plain, asPs, NOW)).toBeUndefined()
    }
  })

  test("SEC-10: ES256 with zeros for a signature, and with a key of another curve", async () => {
    const p256 = generateKeyPairSync("ec", { namedCurve: "P-256" })
    const p384 = generateKeyPairSync("ec", { namedCurve: "P-384" })
    const source = (key: KeyObject): KeySource =>
      publishedKeys({ keys: [{ ...key.export({ format: "jwk" }), kid: "k" }] }, "ES256")
    const rules = (key: KeyObject): IssuerRules => ({ ...rulesOf(hs), algorithm: "ES256", keys: source(key) })
    expect(await source(p256.publicKey).find("k")).toBeDefined()
    for (const other of [p384.publicKey, rsa.publicKey, ed.publicKey])
      expect(await source(other).find("k")).toBeUndefined()
    const es = { alg: "ES256", typ: "JWT", kid: "k" }
    const raw = { dsaEncoding: "ieee-p1363" }
    const good = forge(es, payload, byKey(p256.privateKey, "sha256", raw))
    expect(await verifyToken(good, rules(p256.publicKey), NOW)).toBeDefined()
    const zeros = forge(es, payload, () => Buffer.alloc(64))
    expect(await verifyToken(zeros, rules(p256.publicKey), NOW)).toBeUndefined()
    const otherCurve = forge(es, payload, byKey(p384.privateKey, "sha256", raw))
    expect(await verifyToken(otherCurve, rules(p384.publicKey), NOW)).toBeUndefined()
    expect(await verifyToken(otherCurve, rules(p256.publicKey), NOW)).toBeUndefined()
  })

  test("SEC-10: a secret in a published key set is never taken", async () => {
    const keys = publishedKeys(
      { keys: [{ kty: "oct", k: Buffer.from(SECRET).toString("base64url"), kid: hs.kid }] },
      "RS256",
    )
    expect(await verifyToken(forge(header, payload, byHmac(SECRET)), { ...rulesOf(rs), keys }, NOW)).toBeUndefined()
    expect(await keys.find(hs.kid)).toBeUndefined()
  })
})

describe("SEC-11: a key comes from the configuration, never from the token", () => {
  const attacker = otherRsa.publicKey.export({ format: "jwk" })
  const rsHeader = { alg: "RS256", typ: "JWT" }

  test.each([
    { jwk: attacker },
    { jku: "https://evil.test/keys" },
    { x5u: "https://evil.test/cert" },
    { x5c: ["MIIB"] },
  ])("SEC-11: %j", async (more) => {
    const forged = forge({ ...rsHeader, kid: rs.kid, ...more }, payload, byKey(otherRsa.privateKey))
    expect(await verify(forged, rs)).toBeUndefined()
    // They are not looked at either: a good token that has one is good.
    const own = forge({ ...rsHeader, kid: rs.kid, ...more }, payload, byKey(rsa.privateKey))
    expect(await verify(own, rs)).toBeDefined()
  })

  test.each([
    "../../../dev/null",
    "/dev/null",
    "' or '1'='1",
    "k; drop table users",
    "__proto__",
    "constructor",
    "",
    "k".repeat(65),
    "k\u0000",
    "é",
    7,
    null,
    ["k"],
    { k: 1 },
  ])("SEC-11: kid %j finds nothing", async (kid) => {
    for (const secret of ["", SECRET, "undefined", "null"])
      expect(await verify(forge({ ...header, kid }, payload, byHmac(secret)))).toBeUndefined()
  })
})

describe("SEC-12: what a token says", () => {
  const without = (name: string) => Object.fromEntries(Object.entries(payload).filter(([key]) => key !== name))
  const made = (claims: object, more: object = {}) => forge({ ...header, ...more }, claims, byHmac(SECRET))

  test.each(["exp", "iat", "iss", "aud", "sub"])("SEC-12: without %s it is refused", async (name) => {
    expect(await verify(made(without(name)))).toBeUndefined()
  })

  test("SEC-12: nbf may be left out", async () => {
    expect(await verify(made(without("nbf")))).toBeDefined()
  })

  test.each([
    { exp: now - 31 },
    { exp: "2099-01-01" },
    { exp: String(now + 60) },
    { exp: now + 3_601 },
    { exp: 1e300 },
    { exp: null },
    { iat: now + 31, exp: now + 600 },
    { iat: now - 3_600, exp: now + 60 },
    { iat: "now" },
    { nbf: now + 31 },
    { nbf: "soon" },
    { iss: "other" },
    { iss: ["millrace"] },
    { iss: "millrace " },
    { aud: "other" },
    { aud: ["other"] },
    { aud: "" },
    { sub: "" },
    { sub: 7 },
  ])("SEC-12: with %j it is refused", async (claims) => {
    expect(await verify(made({ ...payload, ...claims }))).toBeUndefined()
  })

  test.each([{ exp: now - 29 }, { nbf: now + 29 }, { iat: now + 29 }, { aud: ["other", "millrace"] }])(
    "SEC-12: with %j it is taken: clocks may differ by half a minute",
    async (claims) => {
      const life = "exp" in claims ? { iat: now - 1_800 } : {}
      expect(await verify(made({ ...payload, ...life, ...claims }))).toBeDefined()
    },
  )

  test.each(["at+jwt", "jwt ", "JOSE", "", null, 7, undefined])("SEC-12: typ %j is not ours", async (typ) => {
    expect(await verify(made(payload, { typ }))).toBeUndefined()
  })

  test("SEC-12: a clock that is an hour off takes none of today's tokens", async () => {
    const token = await signToken(hs, subject, NOW)
    expect(await verify(token, hs, NOW + 3_600_000)).toBeUndefined()
    expect(await verify(token, hs, NOW - 3_600_000)).toBeUndefined()
  })
})

describe("SEC-13: a token that is too large", () => {
  const counted = (): { rules: IssuerRules; asked: () => number } => {
    let asked = 0
    const find: KeySource["find"] = (kid) => {
      asked += 1
      return hs.find(kid)
    }
    return { rules: { ...rulesOf(hs), keys: { find } }, asked: () => asked }
  }

  test.each([
    ["4 KiB and one", forge(header, { ...payload, pad: "x".repeat(2_900) }, byHmac(SECRET))],
    ["16 KB", forge(header, { ...payload, pad: "x".repeat(16_000) }, byHmac(SECRET))],
    ["1 MB", "a".repeat(1_000_000)],
    ["1 MB of dots", ".".repeat(1_000_000)],
    [
      "65 claims",
      forge(
        header,
        { ...payload, ...Object.fromEntries(Array.from({ length: 58 }, (_, n) => [`c${n}`, 1])) },
        byHmac(SECRET),
      ),
    ],
    [
      "10,000 claims",
      forge(header, Object.fromEntries(Array.from({ length: 10_000 }, (_, n) => [`c${n}`, 1])), byHmac(SECRET)),
    ],
    ["a large header", forge({ ...header, pad: "x".repeat(2_000) }, payload, byHmac(SECRET))],
  ])("SEC-13: %s: no key is asked", async (_, token) => {
    const { rules, asked } = counted()
    expect(await verifyToken(token, rules, NOW)).toBeUndefined()
    expect(asked()).toBe(0)
  })

  test("SEC-13: JSON that is nested as deep as it fits is refused or taken, and nothing breaks", async () => {
    const deep = JSON.parse(`${"[".repeat(1_300)}${"]".repeat(1_300)}`)
    expect(await verify(forge(header, { ...payload, deep }, byHmac(SECRET)))).toBeDefined()
    expect(await verify(forge({ ...header, deep }, payload, byHmac(SECRET)))).toBeUndefined()
  })
})

describe("SEC-14: other forms", () => {
  const good = forge(header, payload, byHmac(SECRET))
  const [head, body, signature] = good.split(".") as [string, string, string]

  test.each([
    ["crit", forge({ ...header, crit: ["exp"] }, payload, byHmac(SECRET))],
    ["an empty crit", forge({ ...header, crit: [] }, payload, byHmac(SECRET))],
    ["b64: false", forge({ ...header, b64: false, crit: ["b64"] }, payload, byHmac(SECRET))],
    ["zip", forge({ ...header, zip: "DEF" }, payload, byHmac(SECRET))],
    ["an encrypted token", "eyJhbGciOiJkaXIiLCJlbmMiOiJBMjU2R0NNIn0..AAAA.AAAA.AAAA"],
    ["enc in a header", forge({ ...header, enc: "A256GCM" }, payload, byHmac(SECRET))],
    ["JSON form", JSON.stringify({ protected: head, payload: body, signature })],
    ["two parts", `${head}.${body}`],
    ["four parts", `${good}.AAAA`],
    ["padding", `${head}=.${body}.${signature}`],
    ["white space", `${head}. ${body}.${signature}`],
    ["a line end", `${good}\n`],
    ["base64 with +", `${head}.${body}.${signature.slice(0, -1)}+`],
    [
      "bits that are ignored",
      `${head}.${body}.${signature.slice(0, -1)}${String.fromCharCode(signature.charCodeAt(42) + 1)}`,
    ],
    ["no object", `${Buffer.from("[]").toString("base64url")}.${body}.${signature}`],
    ["no JSON", `${Buffer.from("x").toString("base64url")}.${body}.${signature}`],
    [
      "a byte order mark",
      `${Buffer.from(`\uFEFF${JSON.stringify(header)}`).toString("base64url")}.${body}.${signature}`,
    ],
    ["broken UTF-8", `${Buffer.from([0x7b, 0xff, 0x7d]).toString("base64url")}.${body}.${signature}`],
    [
      "another payload",
      `${head}.${Buffer.from(JSON.stringify({ ...payload, sub: "u2" })).toString("base64url")}.${signature}`,
    ],
    ["nothing", ""],
  ])("SEC-14: %s is refused", async (_, token) => {
    expect(await verify(good)).toBeDefined()
    expect(await verify(token)).toBeUndefined()
  })
})
