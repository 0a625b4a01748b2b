import { defineConfig } from "vitest/config"

export default defineConfig({
  test: {
    include: ["engine/src/**/*.test.ts", "sdks/typescript/src/**/*.test.ts", "conformance/src/**/*.test.ts", "tools/**/*.test.ts"],
    testTimeout: 30_000,
    hookTimeout: 60_000,
    maxWorkers: 2,
  },
})
