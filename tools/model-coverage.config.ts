// `npm run check:model-coverage`: every branch of the model and of the guard's rules is taken by their own tests, the same ones at each run.
import { fileURLToPath } from "node:url"
import { defineConfig } from "vitest/config"

export default defineConfig({
  root: fileURLToPath(new URL("..", import.meta.url)),
  test: {
    include: ["engine/src/model/**/*.test.ts", "guard/src/rules/**/*.test.ts"],
    setupFiles: ["tools/fixed-seed.ts"],
    reporters: ["dot"],
    isolate: false,
    maxWorkers: 2,
    testTimeout: 180_000,
    coverage: {
      enabled: true,
      provider: "v8",
      // A folder of its own: the two checks of coverage run side by side, and each empties its folder.
      reportsDirectory: "coverage/model",
      include: ["engine/src/model/**/*.ts", "guard/src/rules/**/*.ts"],
      exclude: ["**/*.test.ts", "**/test-support/**", "**/fixtures.ts"],
      reporter: [["text", { skipFull: true }]],
      thresholds: { branches: 100 },
    },
  },
})
