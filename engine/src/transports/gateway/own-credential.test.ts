// A credential of ours is found in an Authorization header however it is written.
import { secretKeys, signToken } from "@millrace/guard/credentials"
import { describe, expect, test } from "vitest"
import { carriesOwnCredential } from "./own-credential.ts"

const keys = secretKeys(["0123456789abcdef0123456789abcdef"])
const signed = (issuer: string) => signToken(keys, { issuer, audience: "a", subject: "u1", claims: {} }, 0)
const [ours, theirs] = [await signed("millrace"), await signed("https://another.test")]
const basic = (text: string) => `Basic ${Buffer.from(text).toString("base64")}`

describe.each([
  ["a key", "mill_0123456789abcdef"],
  ["a token", ours],
])("SEC-46: %s of ours", (_name, credential) => {
  test.each([
    `Bearer ${credential}`,
    `bearer  ${credential}`,
    credential,
    `Basic ${credential}`,
    `Token ${credential}`,
    `Bearer\t${credential}`,
    `Bearer "${credential}"`,
    `Bearer ${credential}, x`,
    `Token token=${credential}`,
    basic(`user:${credential}`),
    basic(`${credential}:`),
  ])("in %j", (authorization) => {
    expect(carriesOwnCredential(authorization, "millrace")).toBe(true)
  })

  test("in a header that is longer than any of ours", () => {
    expect(carriesOwnCredential(`Bearer ${credential} ${"x".repeat(9_000)}`, "millrace")).toBe(true)
  })
})

test.each([
  "Basic dTpw",
  `Bearer ${theirs}`,
  basic(`user:${theirs}`),
  "Digest a=b, c=d",
  "Bearer a.b.c",
  "Bearer ",
  "",
])("SEC-46: %j is another server's", (authorization) => {
  expect(carriesOwnCredential(authorization, "millrace")).toBe(false)
})
