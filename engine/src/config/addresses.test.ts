// A database is named by host and port, and by nothing that is secret.
import { expect, test } from "vitest"
import { databaseAddress } from "./addresses.ts"

test.each([
  ["postgres://ada:hidden@db.example.org:6432/shop", "db.example.org:6432"],
  ["postgres://db.example.org/shop", "db.example.org:5432"],
  ["postgresql://ada@[::1]/shop?password=hidden", "[::1]:5432"],
  ["postgres://ada@/shop?host=/var/run/postgresql", "/var/run/postgresql"],
  ["postgres://x/shop?host=db.internal&port=7000", "db.internal:7000"],
  ["postgres:///shop", undefined],
  ["postgres://ada:hidden@/shop", undefined],
])("%s is at %s", (dsn, address) => {
  expect(databaseAddress(dsn)).toBe(address)
})
