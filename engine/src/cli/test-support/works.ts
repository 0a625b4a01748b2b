// A module as `millrace work` is given one: a job that does what the test says, one that outlives a signal, and a workflow.
import { job, workflow } from "../../index.ts"

/** What the test would like to happen inside. */
export const hooks: { tick: (payload: object) => unknown } = { tick: () => {} }

export const tick = job("tick", async ({ payload }) => {
  await hooks.tick(payload)
})

/** Begins, is asked to stop, and finishes all the same. */
export const untilSignal = job("until-signal", async () => {
  const signal = new Promise((resolve) => process.once("SIGTERM", resolve))
  process.stdout.write("began\n")
  await signal
  await new Promise(setImmediate)
  return { finished: true }
})

export const greet = workflow("greet", { steps: [function hello() {}] })
export const notWork = { kind: "list", name: "a list, but no workflow" }
