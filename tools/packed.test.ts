// What the packages bring along when they are installed elsewhere: their files and the dependencies that they name, nothing else.
import { execFile } from "node:child_process"
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs"
import { tmpdir } from "node:os"
import { dirname, join } from "node:path"
import { promisify } from "node:util"
import { afterAll, beforeAll, describe, expect, test } from "vitest"
import { root } from "./files.ts"

const run = promisify(execFile)

/** The blocks of the package's README that say what they import, as a user would paste them. */
const programs = (): string[] =>
  [...readFileSync(join(root, "engine/README.md"), "utf8").matchAll(/```ts\n([\s\S]*?)```/g)].map(
    ([, text = ""]) => text,
  )

describe.skipIf(!process.env.MILLRACE_FULL_TESTS)("packed and unpacked outside the clone", () => {
  let home = ""

  beforeAll(async () => {
    home = mkdtempSync(join(tmpdir(), "millrace-packed-"))
    await run(
      "npm",
      [
        ...["pack", "--silent", "--ignore-scripts", "--pack-destination", home],
        ...["--workspace", "engine", "--workspace", "guard", "--workspace", "sdks/typescript"],
      ],
      { cwd: root },
    )
    for (const [name, file] of [
      ["millrace", /^millrace-\d/],
      ["@millrace/guard", /^millrace-guard-/],
      ["@millrace/sdk", /^millrace-sdk-/],
    ] as const)
      await unpack(name, file)
    writeFileSync(join(home, "package.json"), '{ "type": "module" }')
    // What a user's own TypeScript project has.
    linkModule("@types/node")
    for (const [at, text] of programs().entries()) writeFileSync(join(home, `program-${at}.ts`), text)
    writeFileSync(join(home, "testing.ts"), 'import * as kit from "millrace/testing"\nconsole.log(kit)\n')
    writeFileSync(join(home, "sdk.ts"), 'import { EngineClient } from "@millrace/sdk"\nconsole.log(EngineClient)\n')
  })
  afterAll(() => rmSync(home, { recursive: true, force: true }))

  async function unpack(name: string, file: RegExp): Promise<void> {
    const target = join(home, "node_modules", name)
    mkdirSync(target, { recursive: true })
    const packed = readdirSync(home).find((one) => file.test(one)) ?? expect.fail(`${name} was not packed`)
    await run("tar", ["-xzf", join(home, packed), "--strip-components", "1", "-C", target])
    const { dependencies = {} } = JSON.parse(readFileSync(join(target, "package.json"), "utf8"))
    for (const dependency of Object.keys(dependencies)) if (!dependency.startsWith("@millrace/")) linkModule(dependency)
  }

  function linkModule(name: string): void {
    const link = join(home, "node_modules", name)
    mkdirSync(dirname(link), { recursive: true })
    symlinkSync(join(root, "node_modules", name), link)
  }

  test("a stack names a file that is there: no source map leads to sources that are not shipped", async () => {
    const ours = ["millrace", "@millrace/sdk"].map((name) => join(home, "node_modules", name))
    const maps = ours.flatMap((folder) => readdirSync(folder, { recursive: true, encoding: "utf8" }))
    expect(maps.filter((file) => file.endsWith(".map"))).toEqual([])
    writeFileSync(
      join(home, "throws.mjs"),
      'import { EngineClient } from "@millrace/sdk"\ntry { new EngineClient({ url: "nowhere" }) } catch (error) { console.log(error.stack) }\n',
    )
    const { stdout } = await run(process.execPath, ["--enable-source-maps", "throws.mjs"], { cwd: home })
    // Frames of Node itself are in no folder.
    const frames = [...stdout.matchAll(/(?:file:\/\/)?(\/[^\s)]+):\d+:\d+\)?$/gm)].map(([, file = ""]) => file)
    expect(frames.some((file) => file.includes("@millrace/sdk"))).toBe(true)
    expect(frames.filter((file) => file.includes("millrace") && !existsSync(file))).toEqual([])
  })

  test("they type-check, the declarations of the packages included", async () => {
    const strict = ["--strict", "--noEmit", "--module", "nodenext", "--target", "es2023", "--types", "node"]
    const files = readdirSync(home).filter((file) => file.endsWith(".ts"))
    const { stdout } = await run(
      process.execPath,
      [join(root, "node_modules/typescript/bin/tsc"), ...strict, ...files],
      {
        cwd: home,
      },
    ).catch((error: { stdout: string }) => error)
    expect(stdout).toBe("")
  })
})
