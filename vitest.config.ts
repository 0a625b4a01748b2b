// One run for every package: tests sit beside the code, and share one PostgreSQL that is started before the first.
import { defineConfig } from "vitest/config"

export default defineConfig({
  test: {
    include: ["{engine,dashboard,sdks/typescript,conformance,examples/*}/src/**/*.test.ts", "tools/**/*.test.ts"],
    globalSetup: ["engine/src/testing/global-setup.ts"],
    testTimeout: 30_000,
    hookTimeout: 60_000,
    maxWorkers: 2,
  },
})
