// One run for every package: tests sit beside the code, and share one PostgreSQL that is started before the first.
import { defineConfig } from "vitest/config"

export default defineConfig({
  test: {
    include: ["{engine,dashboard,sdks/typescript,conformance,examples/*}/src/**/*.test.ts", "tools/**/*.test.ts"],
    globalSetup: ["engine/src/test-support/global-setup.ts"],
    testTimeout: 30_000,
    hookTimeout: 60_000,
    maxWorkers: 2,
    // Browsers, kills and races on two busy cores: in CI a test that failed is tried once more. At a desk it is not: there it is looked into.
    retry: process.env.CI ? 1 : 0,
  },
})
