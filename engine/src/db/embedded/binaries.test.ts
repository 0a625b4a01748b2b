import { mkdirSync, mkdtempSync, readFileSync, readlinkSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { afterEach, beforeEach, expect, test } from "vitest"
import { findBinaries, linkLibraries } from "./binaries.ts"

let root: string
const link = { source: "native/lib/libpq.so.5.18", target: "native/lib/libpq.so.5" }

beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), "mr-"))
  mkdirSync(join(root, "native", "lib"), { recursive: true })
  writeFileSync(join(root, link.source), "library")
  writeFileSync(join(root, "native", "pg-symlinks.json"), JSON.stringify([link]))
})
afterEach(() => rmSync(root, { recursive: true, force: true }))

test("links that the install script did not make are made, once", () => {
  expect(linkLibraries(root, join(root, "spare"))).toEqual({})
  expect(readlinkSync(join(root, link.target))).toBe("libpq.so.5.18")
  expect(linkLibraries(root, join(root, "spare"))).toEqual({})
})

test("where the package cannot be written the links go to the spare folder, idempotently", () => {
  const unwritable = { source: link.source, target: "native/gone/libpq.so.5" }
  writeFileSync(join(root, "native", "pg-symlinks.json"), JSON.stringify([unwritable]))
  const spare = join(root, "spare")
  for (let i = 0; i < 2; i++) {
    expect(Object.values(linkLibraries(root, spare))).toEqual([spare])
    expect(readFileSync(join(spare, "libpq.so.5"), "utf8")).toBe("library")
  }
})

test("the platform's package is found with its major version", () => {
  expect(findBinaries(join(root, "spare")).major).toBe("18")
})
