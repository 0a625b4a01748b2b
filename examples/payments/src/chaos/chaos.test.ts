// The chaos in small, as `npm run chaos -- --short` runs it: every process is real, and each is killed once.
import { execFile } from "node:child_process"
import { fileURLToPath } from "node:url"
import { promisify } from "node:util"
import { expect, test } from "vitest"

const MAIN = fileURLToPath(new URL("../../dist/chaos/main.js", import.meta.url))
/** Both take half a minute, and one needs servers. */
const isShort = !process.env.MILLRACE_FULL_TESTS

async function run(...args: readonly string[]): Promise<string> {
  return promisify(execFile)(process.execPath, [MAIN, ...args]).then(
    ({ stdout }) => stdout,
    ({ code, signal, stdout, stderr }) =>
      expect.fail(`it ended with ${code ?? signal} and said:\n${stdout}\n${stderr}`),
  )
}

const RIGHT = "nothing lost, nothing stuck, nothing charged or processed twice, order kept"

test.skipIf(isShort)(
  "F-09, F-X2, F-X9: API, worker and database are killed while payments are made: none is lost, stuck or charged twice",
  async () => {
    const told = await run("--short", "--no-kafka", "--no-redis", "--buyers", "4", "--every", "1")
    for (const victim of ["API", "worker", "database"]) expect(told).toMatch(new RegExp(`killed .*${victim} [1-9]`))
    expect(told).toContain(RIGHT)
  },
  600_000,
)

test.skipIf(isShort)(
  "with Kafka and Redis: F-09: relay and broker are killed as well",
  async () => {
    const told = await run("--short", "--buyers", "4", "--every", "1")
    for (const victim of ["API", "worker", "relay", "database", "broker"])
      expect(told).toMatch(new RegExp(`killed .*${victim} [1-9]`))
    expect(told).toContain(RIGHT)
  },
  600_000,
)
