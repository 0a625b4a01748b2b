// `npm run check:guard-coverage`: the guard's own tests run at least 85 % of its code. Redis is among them where MILLRACE_FULL_TESTS is set.
import { fileURLToPath } from "node:url"
import { defineConfig } from "vitest/config"

/** What needs a real Redis is measured only where there is one. */
const REDIS_ONLY = process.env.MILLRACE_FULL_TESTS
  ? []
  : ["guard/src/stores/*redis*.ts", "guard/src/stores/fail-safe-store.ts"]

export default defineConfig({
  root: fileURLToPath(new URL("..", import.meta.url)),
  test: {
    include: ["guard/src/**/*.test.ts"],
    reporters: ["dot"],
    isolate: false,
    maxWorkers: 2,
    testTimeout: 300_000,
    hookTimeout: 300_000,
    expect: { poll: { interval: 10, timeout: 240_000 } },
    coverage: {
      enabled: true,
      provider: "v8",
      // A folder of its own: the two checks of coverage run side by side, and each empties its folder.
      reportsDirectory: "coverage/guard",
      include: ["guard/src/**/*.ts"],
      exclude: ["**/*.test.ts", "**/test-support/**", ...REDIS_ONLY],
      reporter: [["text", { skipFull: true }]],
      thresholds: { statements: 85, branches: 85, functions: 85, lines: 85 },
    },
  },
})
