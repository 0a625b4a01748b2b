// Where there is no history, a run against an earlier commit says why it is not run.
import { mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { afterEach, beforeEach, describe, expect, test, vi } from "vitest"
import { command } from "../command.ts"
import { readHistory } from "./history.ts"

const hasGit = await command(tmpdir(), "git", "--version").then(
  () => true,
  () => false,
)

describe.skipIf(!hasGit)("C-T6: with git", () => {
  let folder: string

  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), "millrace-history-"))
  })
  afterEach(() => {
    vi.unstubAllEnvs()
    rmSync(folder, { recursive: true, force: true })
  })

  const git = (...args: readonly string[]) =>
    command(folder, "git", "-c", "user.name=test", "-c", "user.email=test@example.test", ...args)

  async function commit(text: string): Promise<void> {
    writeFileSync(join(folder, "file"), text)
    await git("add", "file")
    await git("-c", "core.hooksPath=", "commit", "--quiet", "--message", text)
  }

  test("C-T6: a copy without git has no history", async () => {
    expect(await readHistory(folder, undefined)).toContain("has no git history")
    expect(await readHistory(folder, "HEAD~1")).toContain("has no git history")
  })

  test("C-T6: the commits before this one, newest first", async () => {
    await git("init", "--quiet")
    await commit("one")
    expect(await readHistory(folder, undefined)).toContain("no commit before this one")
    await commit("two")
    await commit("three")
    const history = await readHistory(folder, undefined)
    const log = (await git("log", "--format=%h", "--abbrev=7")).split("\n")
    expect(history).toEqual({ current: log[0], earlier: log.slice(1) })
    expect(await readHistory(folder, "HEAD~2")).toMatchObject({ earlier: log.slice(2) })
    writeFileSync(join(folder, "file"), "changed")
    expect(await readHistory(folder, undefined)).toMatchObject({ current: `${log[0]}-dirty` })
  })

  test("C-T6: a run inside a git hook reads and writes no other repository than its own", async () => {
    const other = join(folder, "other")
    await git("init", "--quiet", other)
    vi.stubEnv("GIT_DIR", join(other, ".git"))
    vi.stubEnv("GIT_INDEX_FILE", join(other, ".git", "index"))
    await git("init", "--quiet")
    await commit("one")
    await commit("two")
    expect(await readHistory(folder, undefined)).toEqual({
      current: await git("rev-parse", "--short=7", "HEAD"),
      earlier: [await git("rev-parse", "--short=7", "HEAD~1")],
    })
    vi.unstubAllEnvs()
    expect(await command(other, "git", "rev-list", "--all", "--count")).toBe("0")
  })

  test("C-T6: a name that is no commit is an error, and no reason to pass it over", async () => {
    await git("init", "--quiet")
    await commit("one")
    await expect(readHistory(folder, "no-such-commit")).rejects.toThrow("names no commit")
  })

  test("C-T6: a shallow clone says how to get the rest", async () => {
    await git("init", "--quiet", "origin")
    const whole = folder
    folder = join(whole, "origin")
    await commit("one")
    await commit("two")
    const shallow = join(whole, "shallow")
    await git("clone", "--quiet", "--depth", "1", `file://${folder}`, shallow)
    folder = whole
    expect(await readHistory(shallow, undefined)).toContain("git fetch --unshallow")
  })
})
