// A checkout that would run the SDK of another is noticed before anything is played.
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { afterEach, beforeEach, expect, test } from "vitest"
import { insistOnOwnCode } from "./own-code.ts"

let folder: string

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "millrace-own-code-"))
  for (const name of ["now", "earlier"]) writeCheckout(join(folder, name))
})
afterEach(() => rmSync(folder, { recursive: true, force: true }))

function writeCheckout(place: string): void {
  for (const part of ["engine", "sdks/typescript", "node_modules/@millrace"])
    mkdirSync(join(place, part), { recursive: true })
  writeFileSync(join(place, "sdks/typescript/package.json"), '{"name": "@millrace/sdk", "main": "index.js"}')
  writeFileSync(join(place, "sdks/typescript/index.js"), "")
  symlinkSync("../../sdks/typescript", join(place, "node_modules/@millrace/sdk"))
}

test("C-T6: an earlier checkout with packages of its own runs its own SDK", () => {
  insistOnOwnCode(join(folder, "earlier"), ["engine/cli.js"])
})

test("C-T6: an earlier checkout with the packages of this one is refused", () => {
  rmSync(join(folder, "earlier/node_modules"), { recursive: true })
  symlinkSync(join(folder, "now/node_modules"), join(folder, "earlier/node_modules"))
  expect(() => insistOnOwnCode(join(folder, "earlier"), ["engine/cli.js"])).toThrow("would run the SDK in")
})
