// Keys of another issuer, from a real server on loopback; the clock is moved by the test.
import { generateKeyPairSync } from "node:crypto"
import { once } from "node:events"
import { createServer, type Server, type ServerResponse } from "node:http"
import type { AddressInfo } from "node:net"
import { afterEach, beforeEach, expect, test } from "vitest"
import { FetchedKeys, KeysUnavailable } from "./fetched-keys.ts"

const jwkOf = (kid: string) => ({
  ...generateKeyPairSync("ed25519").publicKey.export({ format: "jwk" }),
  kid,
})

let server: Server
let url: string
let asked: number
let answer: (response: ServerResponse) => void
let nowMs: number
const say = (value: unknown) => (response: ServerResponse) => void response.end(JSON.stringify(value))

beforeEach(async () => {
  asked = 0
  nowMs = 1_000_000
  server = createServer((_, response) => {
    asked += 1
    answer(response)
  })
  server.listen(0, "127.0.0.1")
  await once(server, "listening")
  url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/keys`
  answer = say({ keys: [jwkOf("one")] })
})
afterEach(async () => {
  server.closeAllConnections()
  server.close()
})

const open = () => new FetchedKeys({ address: () => url, algorithm: "EdDSA", nowMs: () => nowMs })
const minutes = (count: number) => (nowMs += count * 60_000)

test("SEC-11: are asked for once, also by many at once, and again after ten minutes", async () => {
  const keys = open()
  const found = await Promise.all(Array.from({ length: 20 }, () => keys.find("one")))
  expect(found.every((key) => key !== undefined)).toBe(true)
  minutes(9)
  await keys.find("one")
  expect(asked).toBe(1)
  minutes(2)
  await keys.find("one")
  expect(asked).toBe(2)
})

test("SEC-11: a key that is new is found by its name; names that are made up do not flood the issuer", async () => {
  const keys = open()
  await keys.find("one")
  answer = say({ keys: [jwkOf("one"), jwkOf("two")] })
  minutes(1)
  expect(await keys.find("two")).toBeDefined()
  expect(asked).toBe(2)
  for (let n = 0; n < 50; n++) expect(await keys.find(`made-up-${n}`)).toBeUndefined()
  expect(asked).toBe(2)
})

test("SEC-11: a key that is withdrawn is gone within ten minutes", async () => {
  const keys = open()
  expect(await keys.find("one")).toBeDefined()
  answer = say({ keys: [jwkOf("two")] })
  minutes(11)
  expect(await keys.find("one")).toBeUndefined()
})

test.each<[string, (response: ServerResponse) => void]>([
  ["an error", (response) => void response.writeHead(500).end("{}")],
  ["a redirect", (response) => void response.writeHead(302, { location: "http://127.0.0.1:1/" }).end()],
  ["no JSON", (response) => void response.end("<html>")],
  ["no key set", say({ keys: "none" })],
  ["a broken connection", (response) => void response.destroy()],
  ["more than 64 KiB", say({ keys: [], pad: "x".repeat(70_000) })],
])(
  "SEC-11: while the issuer answers with %s, what is known is good for an hour, then nothing is",
  async (_, broken) => {
    const keys = open()
    await keys.find("one")
    answer = broken
    minutes(59)
    expect(await keys.find("one")).toBeDefined()
    expect(asked).toBe(2)
    minutes(2)
    await expect(keys.find("one")).rejects.toThrow(KeysUnavailable)
    answer = say({ keys: [jwkOf("one")] })
    minutes(1)
    expect(await keys.find("one")).toBeDefined()
  },
)

test("SEC-11: an issuer that never answered is no reason to take a token, nor to wait for each one", async () => {
  answer = (response) => void response.destroy()
  const keys = open()
  for (let n = 0; n < 10; n++) await expect(keys.find("one")).rejects.toThrow(KeysUnavailable)
  expect(asked).toBe(1)
})
