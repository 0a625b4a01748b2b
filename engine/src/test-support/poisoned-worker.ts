// A worker whose process dies of some payloads, as of one that takes all its memory. Its argument is the database.
import { millrace, type Step, workflow } from "../index.ts"

export const poisoned = workflow("poisoned", {
  steps: [
    function swallow({ input }: Step<{ poison: boolean }>) {
      if (input.poison) process.kill(process.pid, "SIGKILL")
      return { swallowed: true }
    },
  ],
})

const [, , database] = process.argv
if (database?.startsWith("postgres")) {
  const mill = await millrace({ database, logLevel: "silent" })
  await mill.drain([poisoned])
  await mill.stop()
}
