// The words people type first are there: a script of the repository, or a command of `millrace`.
import { execFileSync } from "node:child_process"
import { existsSync } from "node:fs"
import { join } from "node:path"
import { describe, expect, test } from "vitest"
import { read, readJson, root } from "./files.ts"

const { scripts } = readJson<{ scripts: Record<string, string> }>("package.json")
const guide = read("docs/guides/coming-from.md")

describe("D-52", () => {
  test("D-52: .env.example is there for everybody, .env for nobody else", () => {
    expect(existsSync(join(root, ".env.example"))).toBe(true)
    expect(read(".gitignore").split("\n")).toContain(".env")
    const tracked = execFileSync("git", ["ls-files", ".env", ".env.example"], { cwd: root, encoding: "utf8" })
    expect(tracked.trim().split("\n")).toEqual([".env.example"])
  })

  test.each(["dev", "check-infra", "test", "ci", "load-test", "migrate"])("D-52: npm run %s", (name) => {
    expect(scripts).toHaveProperty(name)
  })

  test.each(["dev", "down", "logs", "shell", "check-infra", "test", "ci", "load-test", "migrate"])(
    "D-52: the guide says what to type for %s",
    (name) => {
      expect(guide).toMatch(new RegExp(`^\\| .*\`make ${name}\`.* \\| .+ \\|$`, "m"))
    },
  )
})
