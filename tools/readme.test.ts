// The README is true: its example is the one that runs, its links lead somewhere, and its first workflow works as written.
import { type ChildProcess, execFile, spawn } from "node:child_process"
import { existsSync, mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { dirname, join, normalize } from "node:path"
import { promisify } from "node:util"
import { afterAll, beforeAll, describe, expect, test } from "vitest"
import { list, read, root } from "./files.ts"

const run = promisify(execFile)
const readme = read("README.md")
const blocks = (language: string): string[] =>
  [...readme.matchAll(new RegExp(`\`\`\`${language}\\n([\\s\\S]*?)\`\`\``, "g"))].map(([, text = ""]) => text)
const block = (language: string): string => blocks(language)[0] ?? expect.fail(`no ${language} block`)

test("the TypeScript of the README is that of the examples, word for word", () => {
  expect(blocks("ts")).toEqual([read("examples/step-list/src/main.ts"), read("examples/first-workflow/src/main.ts")])
})

test("A-17, A-20: the whole of a step list fits into forty lines, and runs as written, once per key", async () => {
  const source = read("examples/step-list/src/main.ts")
  expect(source.split("\n").length).toBeLessThanOrEqual(40)
  const cwd = mkdtempSync(join(tmpdir(), "millrace-step-list-"))
  const { DATABASE_URL: _, ...env } = process.env
  try {
    const main = join(root, "examples/step-list/dist/main.js")
    const [first, again] = [
      await run(process.execPath, [main], { cwd, env }),
      await run(process.execPath, [main], { cwd, env }),
    ]
    expect(first.stdout).toMatch(/^COMPLETED 42 from account of ada@example.test, once, by the key \S+\/charge$/m)
    expect(first.stdout).toContain("out of stamps")
    expect(again.stdout).toBe(first.stdout)
  } finally {
    rmSync(cwd, { recursive: true, force: true })
  }
})

test("the saga of examples/payments takes back what it did, the last step first, and goes through when it is restarted", async () => {
  const cwd = mkdtempSync(join(tmpdir(), "millrace-saga-"))
  const { DATABASE_URL: _, ...env } = process.env
  try {
    const { stdout } = await run(process.execPath, [join(root, "examples/payments/dist/saga/main.js")], { cwd, env })
    const lines = stdout.split("\n").filter((line) => line !== "")
    expect(lines.map((line) => line.split(/\s/, 1)[0])).toEqual([
      ...["charge", "reserve", "refund", "free", "FAILED", "undone:"].sort((a, b) => order(lines, a) - order(lines, b)),
      "charge",
      "reserve",
      "ship",
      "COMPLETED",
    ])
    expect(order(lines, "free")).toBeLessThan(order(lines, "refund"))
    expect(stdout).toContain("FAILED ship: there is no address to ship to")
    expect(stdout).toContain("undone: [ 'reserve', 'charge' ] charged 1, refunded 1, in the warehouse 0")
    expect(stdout).toContain("COMPLETED charged 2, refunded 1, in the warehouse 2")
  } finally {
    rmSync(cwd, { recursive: true, force: true })
  }
})

/** Where the first line is that begins with the word. */
const order = (lines: readonly string[], word: string): number => lines.findIndex((line) => line.startsWith(word))

test("every relative link in a document leads to a file", () => {
  const pages = list(".", (path) => path.endsWith(".md"))
  const broken = pages.flatMap((page) =>
    [...read(page).matchAll(/\]\((?!https?:|mailto:|#)([^)#\s]+)/g)]
      .map(([, target = ""]) => normalize(join(dirname(page), target)))
      .filter((target) => !existsSync(join(root, target)))
      .map((target) => `${page}: ${target}`),
  )
  expect(broken).toEqual([])
})

test("every file that ARCHITECTURE.md and the decisions name is where they say", () => {
  const pages = ["ARCHITECTURE.md", ...list("docs/decisions", (path) => path.endsWith(".md"))]
  const rooms = "model|operations|store|db|services|transports|support|config"
  const lost = pages.flatMap((page) =>
    [...read(page).matchAll(new RegExp(`\`((?:${rooms})/[\\w./-]+)\``, "g"))]
      .map(([, path = ""]) => path)
      .filter((path) => !existsSync(join(root, "engine/src", path)))
      .map((path) => `${page}: ${path}`),
  )
  expect(lost).toEqual([])
})

describe("on a fresh `millrace dev`", () => {
  const dataDir = mkdtempSync(join(tmpdir(), "millrace-readme-"))
  let engine: ChildProcess
  let url = ""
  let banner = ""

  beforeAll(async () => {
    const env = { ...process.env, WE_DATA_DIR: dataDir, WE_REST_PORT: "0", WE_METRICS_PORT: "0", WE_GRPC_PORT: "0" }
    engine = spawn(process.execPath, ["engine/dist/cli.js", "dev"], {
      cwd: root,
      env,
      stdio: ["ignore", "ignore", "pipe"],
    })
    banner = await textUntil(engine, /Ctrl-C/)
    url = /REST\s+(\S+)/.exec(banner)?.[1] ?? expect.fail(banner)
  })

  afterAll(() => {
    engine.kill("SIGKILL")
    rmSync(dataDir, { recursive: true, force: true })
  })

  const shell = (script: string) =>
    run("bash", ["-euo", "pipefail", "-c", script.replace("http://127.0.0.1:8080", url)])

  test("a job is put into the queue as written, with curl", async () => {
    const { stdout } = await shell(blocks("sh")[0] ?? expect.fail("no curl"))
    expect(JSON.parse(stdout)).toMatchObject({ priority: "high" })
  })

  test("the commands that operate it do so as written", async () => {
    const commands = block("text").match(/(?<=npx millrace ).*?(?=\s+#|$)/gm) ?? []
    expect(commands.length).toBeGreaterThan(5)
    for (const command of commands) {
      // A script ends a watch by itself, and says yes beforehand.
      const words = command
        .replace(" --watch", "")
        .replace(/replay .*/, "$& --yes")
        .split(" ")
      await run(process.execPath, ["engine/dist/cli.js", ...words], { cwd: root, env: { ...process.env, WE_URL: url } })
    }
    const { stdout } = await run(process.execPath, ["engine/dist/cli.js", "weights", "--json"], {
      cwd: root,
      env: { ...process.env, WE_URL: url },
    })
    expect(JSON.parse(stdout)).toMatchObject({ critical: 60, high: 30, normal: 10 })
  })

  test("the first workflow runs as written, with curl", async () => {
    const { stdout } = await shell(blocks("sh")[1] ?? expect.fail("no workflow"))
    expect(stdout).toContain('"status":"COMPLETED"')
    expect(stdout).toContain('"greeting":"Hello, Ada!"')
    expect(stdout).toContain('"kind":"INSTANCE_COMPLETED"')
  })

  test("examples/first-workflow completes", async () => {
    const main = join(root, "examples/first-workflow/dist/main.js")
    const { stdout } = await run(process.execPath, [main], { env: { ...process.env, MILLRACE_URL: url } })
    expect(stdout).toMatch(/^started \S+\nCOMPLETED \{/)
  })

  test("examples/first-workflow says in one line that no engine is there", async () => {
    const main = join(root, "examples/first-workflow/dist/main.js")
    const ended = run(process.execPath, [main], { env: { ...process.env, MILLRACE_URL: "http://127.0.0.1:9" } })
    const line = "No engine answers at http://127.0.0.1:9. Start one with `npm start` in the root of the repository.\n"
    await expect(ended).rejects.toMatchObject({ code: 1, stderr: line })
  })

  test("the curl that the banner prints starts the sample", async () => {
    const command = banner.slice(banner.indexOf("curl"), banner.indexOf("Ctrl-C"))
    const { stdout } = await run("bash", ["-c", command])
    expect(JSON.parse(stdout)).toMatchObject({ definitionId: "hello" })
  })

  test("Ctrl-C stops the engine and its PostgreSQL", async () => {
    const ended = new Promise((resolve) => engine.once("exit", resolve))
    engine.kill("SIGINT")
    expect(await ended).toBe(0)
    expect(existsSync(join(dataDir, "postgres/postmaster.pid"))).toBe(false)
  })
})

function textUntil(child: ChildProcess, pattern: RegExp): Promise<string> {
  return new Promise((resolve, reject) => {
    let text = ""
    child.stderr?.on("data", (chunk: Buffer) => {
      text += chunk
      if (pattern.test(text)) resolve(text)
    })
    child.once("exit", (code) => reject(new Error(`millrace dev ended with ${code}: ${text}`)))
  })
}
