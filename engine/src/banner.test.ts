import { expect, test } from "vitest"
import { banner } from "./banner.ts"

const facts = {
  version: "0.1.0",
  restUrl: "http://127.0.0.1:8080",
  metricsUrl: "http://127.0.0.1:9091",
  grpcUrl: "grpc://127.0.0.1:9090",
  loopback: true,
  keyNeeded: false,
  trustedNetworks: [],
  databaseVariable: "DATABASE_URL",
  sample: true,
  embedded: {
    port: 54321,
    dataDir: "/home/ada/.millrace",
    passwordFile: "/home/ada/.millrace/password",
    reattached: false,
  },
}

test("the banner says what is reachable from where, and what to try", () => {
  expect(`${banner(facts, false)}\n`).toMatchInlineSnapshot(`
    "
      Millrace 0.1.0 is running

      Dashboard  http://127.0.0.1:8080/ui/
      REST       http://127.0.0.1:8080
      gRPC       grpc://127.0.0.1:9090
      Metrics    http://127.0.0.1:9091/metrics
      Reachable  from this machine only, no credentials needed
      Database   embedded PostgreSQL in /home/ada/.millrace
                 PGPASSWORD=$(cat /home/ada/.millrace/password) psql -h 127.0.0.1 -p 54321 -U millrace millrace
      Try        curl -s -X POST http://127.0.0.1:8080/v1/instances -H 'content-type: application/json' \\
                   -d '{"definitionId":"hello","variables":{"name":"Ada"}}'

      Ctrl-C finishes open work and stops everything.

    "
  `)
})

test("on a terminal it has colour and the same words", () => {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: colours are control characters
  expect(banner(facts, true).replace(/\u001b\[\d+m/g, "")).toBe(banner(facts, false))
  expect(banner(facts, true)).not.toBe(banner(facts, false))
})

test("beyond loopback it speaks of keys, and a database of one's own is not described", () => {
  const { embedded: _, ...own } = facts
  const text = banner({ ...own, loopback: false, keyNeeded: true }, false)
  expect(text).toContain("from other machines, with an API key")
  expect(text).toContain("authorization: Bearer <key>")
  expect(text).toContain("your own (DATABASE_URL)")
})

test("a path with spaces is quoted for the shell", () => {
  const embedded = { ...facts.embedded, passwordFile: "/home/ada's box/password" }
  expect(banner({ ...facts, embedded }, false)).toContain(`$(cat '/home/ada'\\''s box/password')`)
})

test("W-05: networks that need no key are told", () => {
  const text = banner(
    { ...facts, loopback: false, keyNeeded: true, trustedNetworks: ["10.0.0.0/8", "fd00::/8"] },
    false,
  )
  expect(text).toContain("10.0.0.0/8, fd00::/8: no key needed from there (WE_TRUSTED_NETWORKS)")
  expect(banner(facts, false)).not.toContain("Trusted")
})
