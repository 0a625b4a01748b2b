import { defineConfig } from "vitest/config"

export default defineConfig({
  test: {
    include: ["{engine,sdks/typescript,conformance}/src/**/*.test.ts", "tools/**/*.test.ts"],
    globalSetup: ["engine/src/testing/global-setup.ts"],
    testTimeout: 30_000,
    hookTimeout: 60_000,
    maxWorkers: 2,
  },
})
