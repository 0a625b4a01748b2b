// Proves that the import table is really checked: a planted violation of each kind fails the check.
import { execFile } from "node:child_process"
import { cpSync, mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { dirname, join } from "node:path"
import { afterAll, beforeAll, expect, test } from "vitest"
import { root } from "./files.ts"

interface Cruise {
  readonly summary: { readonly totalCruised: number; readonly violations: readonly Violation[] }
}
interface Violation {
  readonly rule: { readonly name: string }
  readonly from: string
  readonly cycle?: readonly { readonly name: string }[]
}

const house = realpathSync(mkdtempSync(join(tmpdir(), "millrace-rooms-")))
let violations: readonly Violation[] = []

function write(path: string, text: string): void {
  mkdirSync(dirname(join(house, path)), { recursive: true })
  writeFileSync(join(house, path), text)
}

function cruise(): Promise<Cruise> {
  const binary = join(root, "node_modules/dependency-cruiser/bin/dependency-cruise.mjs")
  const args = [
    binary,
    "--config",
    ".dependency-cruiser.cjs",
    "--output-type",
    "json",
    "engine/src",
    "dashboard",
    "sdks",
  ]
  return new Promise((resolve, reject) =>
    execFile(process.execPath, args, { cwd: house, maxBuffer: 64 << 20 }, (_error, stdout, stderr) =>
      stdout ? resolve(JSON.parse(stdout) as Cruise) : reject(new Error(stderr)),
    ),
  )
}

const planted = {
  "engine/src/support/up.ts": ["support-imports-only-itself", `import type { Row } from "../db/row.ts"`],
  "engine/src/model/row.ts": ["model-imports-only-support", `import type { Row } from "../db/row.ts"`],
  "engine/src/model/file.ts": ["model-does-no-io", `import { readFileSync as Row } from "node:fs"`],
  "engine/src/services/row.ts": [
    "services-imports-only-operations-support",
    `import type { Row } from "../store/row.ts"`,
  ],
  "engine/src/transports/rest/row.ts": [
    "transports-imports-only-operations-model-support",
    `import type { Row } from "../../store/row.ts"`,
  ],
  "engine/src/library/row.ts": [
    "library-imports-only-operations-model-support",
    `import type { Row } from "../db/row.ts"`,
  ],
  "engine/src/store/driver.ts": ["driver-only-in-db", `import { Client as Row } from "pg"`],
  "engine/src/store/kit.ts": ["test-kit-only-in-tests", `import type { Row } from "../test-support/kit.ts"`],
  "engine/src/operations/lost.ts": ["no-unresolvable", `import type { Row } from "./nowhere.ts"`],
  "engine/src/operations/round.ts": ["no-cycles", `import { Row as R } from "./round-again.ts"\nexport const Row = R`],
  "dashboard/src/row.ts": ["dashboard-knows-only-the-model", `import type { Row } from "../../engine/src/db/row.ts"`],
  "dashboard/src/inside.ts": [
    "dashboard-knows-only-the-model",
    `import type { Row } from "../../sdks/typescript/src/index.ts"`,
  ],
  "dashboard/src/client.ts": [
    "dashboard-takes-types-alone",
    `import { Row } from "../../sdks/typescript/dist/index.js"`,
  ],
  "engine/src/operations/shape.ts": ["sdk-only-at-the-doors", `import type { wire as Row } from "@millrace/sdk"`],
  "engine/src/transports/rest/remote.ts": [
    "transports-take-types-alone",
    `import { EngineClient as Row } from "@millrace/sdk"`,
  ],
  "engine/src/cli/back-door.ts": [
    "sdk-by-its-front-door",
    `import { Caller as Row } from "../../../sdks/typescript/dist/caller.js"`,
  ],
  "sdks/typescript/src/row.ts": [
    "sdks-typescript-keeps-to-itself",
    `import type { Row } from "../../../engine/src/db/row.ts"`,
  ],
} as const

beforeAll(async () => {
  for (const path of [".dependency-cruiser.cjs", "tsconfig.base.json"]) cpSync(join(root, path), join(house, path))
  symlinkSync(join(root, "node_modules"), join(house, "node_modules"))
  write("package.json", JSON.stringify({ type: "module", dependencies: { pg: "1" } }))
  write("engine/src/db/row.ts", `export interface Row { readonly id: string }\n`)
  write("engine/src/store/row.ts", `export type { Row } from "../db/row.ts"\n`)
  write("engine/src/test-support/kit.ts", `export type { Row } from "../db/row.ts"\n`)
  write("sdks/typescript/dist/caller.js", `export class Caller {}\n`)
  write("engine/src/cli/front-door.ts", `export { Row } from "../../../sdks/typescript/dist/index.js"\n`)
  write("engine/src/operations/round-again.ts", `export { Row } from "./round.ts"\n`)
  write("sdks/typescript/src/index.ts", `export type Row = string\n`)
  write("sdks/typescript/dist/index.js", `export const Row = ""\n`)
  write("dashboard/src/door.ts", `export type { Row } from "../../sdks/typescript/dist/index.js"\n`)
  for (const [path, [, text]] of Object.entries(planted)) write(path, `${text}\nexport type Planted = typeof Row\n`)
  violations = (await cruise()).summary.violations
})

afterAll(() => rmSync(house, { recursive: true, force: true }))

test.each(Object.entries(planted))("%s is caught", (path, [rule]) => {
  const caught = violations.filter(({ from, cycle = [] }) => from === path || cycle.some(({ name }) => name === path))
  expect(caught.map((violation) => violation.rule.name)).toContain(rule)
})

test.each(["engine/src/store/row.ts", "engine/src/cli/front-door.ts", "dashboard/src/door.ts"])(
  "%s does what the table allows",
  (path) => {
    expect(violations.filter((violation) => violation.from === path)).toEqual([])
  },
)
