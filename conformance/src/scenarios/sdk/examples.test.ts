// The examples of the TypeScript SDK, each run as its README says, over REST and over gRPC.
import { execFile } from "node:child_process"
import { fileURLToPath } from "node:url"
import { promisify } from "node:util"
import { afterAll, beforeAll, expect, test } from "vitest"
import { openRealEngine, type RealEngine } from "../test-support/real-engine.ts"

let engine: RealEngine

beforeAll(async () => {
  engine = await openRealEngine()
})
afterAll(() => engine.close())

const folder = new URL("../../../../sdks/typescript/examples/dist/", import.meta.url)

async function run(name: string, env: Record<string, string>): Promise<string> {
  const program = fileURLToPath(new URL(`${name}.js`, folder))
  return (await promisify(execFile)(process.execPath, [program], { env: { ...process.env, ...env } })).stdout
}

const EXPECTED: Readonly<Record<string, RegExp>> = {
  "first-worker": /^COMPLETED Hello, Ada!\n$/,
  "order-workflow": /^0 COMPLETED none needed\n42 COMPLETED R-\S{4}\n99999 FAILED .*the card's limit is 10,000\n$/,
  "user-task": /^COMPLETED \{ amount: 1200, approved: true \}\n$/,
  signal: /^waits at \[ 'paid' \]\nCOMPLETED \{ receipt: 'R-1' \}\n$/,
}

test.each(Object.entries(EXPECTED))("C-104: the example %s runs over REST and over gRPC", async (name, expected) => {
  expect(await run(name, { MILLRACE_URL: engine.url })).toMatch(expected)
  const grpc = { MILLRACE_URL: engine.grpcUrl, MILLRACE_REST_URL: engine.url }
  expect(await run(name, grpc)).toMatch(expected)
})
