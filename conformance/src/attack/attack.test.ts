// The attack on the guard in its short form, as `npm run attack -- --short` runs it.
import { readFileSync } from "node:fs"
import { expect, test } from "vitest"
import { attacks } from "./attacks.ts"
import { HELP, readOptions } from "./options.ts"
import { runAttacks } from "./run-attacks.ts"
import { drawLine, drawSum } from "./table.ts"

/** All of 127.0.0.0/8 is this machine, and /proc tells how much memory a process has. */
const isLinux = process.platform === "linux"
/** It takes half a minute, and `npm run attack` is the same. */
const isShort = !process.env.MILLRACE_FULL_TESTS

test.skipIf(!isLinux || isShort)(
  "E-10, E-11, E-32, E-36, E-42, E-X2, E-X4, E-X7, E-X11, SEC-04, SEC-21, SEC-36, SEC-60, SEC-61, SEC-62, SEC-63, SEC-66: no attack gets around the guard of a running engine and a running gateway",
  async () => {
    const results = await runAttacks({ short: true, only: [] })
    expect(results.filter(({ held }) => !held).map(drawLine)).toEqual([])
    expect(results).toHaveLength(attacks.length)
    expect(drawSum(results)).toContain(`${attacks.length} attacks`)
  },
)

test("an attack that gets through, or that cannot be run, is told with what was not true", () => {
  const [attack] = attacks as [(typeof attacks)[number]]
  const result = { attack, seconds: 1.25, held: false, told: "150 × 200; NOT TRUE: exactly 100 calls pass" }
  expect(drawLine(result)).toMatch(/^GOT THROUGH +rotate within a \/64 +150 × 200; NOT TRUE: .* \(1\.3 s\)$/)
  expect(drawSum([result, { ...result, held: true }])).toBe("1 of 2 attacks got through: rotate within a /64")
})

test("the command line is read strictly", () => {
  expect(readOptions(["--help"])).toBeUndefined()
  for (const { name } of attacks) expect(HELP).toContain(name)
  expect(readOptions([])).toEqual({ short: false, only: [] })
  expect(readOptions(["--short", "--only", "pipeline,wait and go on"])).toEqual({
    short: true,
    only: ["pipeline", "wait and go on"],
  })
  expect(() => readOptions(["--only", "luck"])).toThrow("--only luck is not one of rotate within a /64")
})

test("the guide names every attack", () => {
  const guide = readFileSync(new URL("../../../docs/guides/guard.md", import.meta.url), "utf8")
  expect(attacks.map(({ name }) => name).filter((name) => !guide.includes(`| ${name} |`))).toEqual([])
})
