// Which database millrace() opens when none is named: none in production, and elsewhere it says which.
import { mkdtempSync, realpathSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { afterAll, afterEach, expect, test, vi } from "vitest"
import { runCommand } from "./cli/test-support/run-command.ts"
import { type MillraceOptions, millrace } from "./millrace.ts"

const folder = realpathSync(mkdtempSync(join(tmpdir(), "millrace-unnamed-")))
const dataDir = join(folder, "data")
const NAMELESS = [{}, { database: undefined }, { database: "" }, { database: " \t\n" }]

afterEach(() => vi.unstubAllEnvs())
afterAll(() => rmSync(folder, { recursive: true, force: true }))

/** What was logged while the mill opened and closed. */
async function linesOf(options: object): Promise<Record<string, unknown>[]> {
  const lines: Record<string, unknown>[] = []
  const stderr = vi
    .spyOn(process.stderr, "write")
    .mockImplementation((line) => lines.push(JSON.parse(String(line))) > 0)
  try {
    const mill = await millrace({ dataDir, ...options } as MillraceOptions)
    await mill.stop()
  } finally {
    stderr.mockRestore()
  }
  return lines.filter(({ msg }) => /embedded/.test(String(msg)))
}

test.each(NAMELESS)("NODE_ENV=production, %j: refused with the two ways, and nothing is opened", async (options) => {
  vi.stubEnv("NODE_ENV", "production")
  const opening = millrace({ dataDir, ...options })
  await expect(opening).rejects.toMatchObject({
    code: "bad-request",
    message: expect.stringMatching(/^millrace\(\): database is not set.*postgres:\/\/.*`database: "embedded"`/),
  })
})

test.each([null, false, 0, "Embedded", [], "postgres"])("database: %j is refused everywhere", async (database) => {
  const opening = millrace({ dataDir, database } as MillraceOptions)
  await expect(opening).rejects.toMatchObject({
    code: "bad-request",
    message: expect.stringMatching(/^millrace\(\): database must be .*"embedded"/),
  })
})

test('"embedded" opens one in production, too, and says so from level info on', async () => {
  vi.stubEnv("NODE_ENV", "production")
  expect(await linesOf({ database: "embedded" })).toEqual([])
  const lines = await linesOf({ database: "embedded", logLevel: "info" })
  expect(lines).toMatchObject([{ level: "info", dataDir, msg: expect.stringContaining(dataDir) }])
})

test("elsewhere one line says that none was named, what was opened and where", async () => {
  for (const options of NAMELESS) {
    const [line, ...more] = await linesOf(options)
    expect(line).toMatchObject({ level: "warn", dataDir })
    expect(line?.msg).toMatch(/^no database was named: .*embedded PostgreSQL in .*`database: "embedded"`/)
    expect(line?.msg).toContain(dataDir)
    expect(more).toEqual([])
  }
  expect(await linesOf({ logLevel: "error" })).toEqual([])
})

test("one that is joined is named as well", async () => {
  const first = await millrace({ dataDir, database: "embedded" })
  expect(await linesOf({})).toMatchObject([{ level: "warn", dataDir }])
  await first.stop()
})

const MODULE = fileURLToPath(new URL("./cli/test-support/works.ts", import.meta.url))

test.each([["work", MODULE, "--once"], ["work", MODULE], ["start"]])(
  "NODE_ENV=production: `millrace %s` is refused without a DSN",
  async (...argv) => {
    const env = { NODE_ENV: "production", WE_DATA_DIR: dataDir, WE_POSTGRES_DSN: " " }
    const words = /^WE_POSTGRES_DSN is not set: give a URL such as .*, or run `millrace dev` for an embedded database$/
    await expect(runCommand(argv, { env })).rejects.toThrow(words)
  },
)

test("elsewhere `millrace work --once` says which it has opened", async () => {
  const { code, out, err } = await runCommand(["work", MODULE, "--once"], { env: { WE_DATA_DIR: dataDir } })
  expect([code, out]).toEqual([0, "Processed 0 jobs; nothing is ready any more.\n"])
  expect(err).toBe(`WE_POSTGRES_DSN is not set: this is the embedded PostgreSQL in ${dataDir}.\n`)
})
