// One run for every package: tests sit beside the code, and share one PostgreSQL that is started before the first.
import { defineConfig } from "vitest/config"
import { LongestFirst } from "./tools/longest-first.ts"

export default defineConfig({
  test: {
    include: ["{engine,guard,dashboard,sdks/typescript,conformance,examples/*}/src/**/*.test.ts", "tools/**/*.test.ts"],
    globalSetup: ["engine/src/test-support/global-setup.ts"],
    reporters: ["default", "./tools/skip-report.mjs"],
    // Deadlines only say when to give up on a test that hangs: no test asserts how long something takes. There are no retries.
    testTimeout: 300_000,
    hookTimeout: 300_000,
    expect: { poll: { interval: 10, timeout: 240_000 } },
    // Files wait as much as they compute: four keep two cores busy.
    maxWorkers: 4,
    sequence: { sequencer: LongestFirst },
    // Room for what dies young: it took a twelfth of the time of some files to clear it away from less.
    execArgv: ["--max-semi-space-size=64"],
    // Files share the modules of their worker: loading them anew for each took a third of the run. A file puts back what it changes.
    isolate: false,
  },
})
