// Scripts are played action by action; a fault names its place.
import { expect, test } from "vitest"
import { Refusal } from "../control/refusal.ts"
import type { Action } from "./action.ts"
import { runScript } from "./run-script.ts"
import type { Stage } from "./stage.ts"

interface Told {
  readonly command: string
  readonly args: object
}

/** Answers every command by the function of its name. */
function stageOf(answers: Record<string, (args: never) => unknown>): Stage & { told: Told[] } {
  const told: Told[] = []
  return {
    told,
    values: new Map(),
    async tell(_, command, args) {
      told.push({ command, args })
      return answers[command]?.(args as never)
    },
    program: (name) => {
      throw new Error(`no program ${name}`)
    },
    rest: async (_, path) => ({ status: 200, body: answers[path]?.(undefined as never) }),
  }
}

const refuse = (code: string) => () => {
  throw new Refusal({ code, message: "no" })
}

const play = (stage: Stage, ...script: readonly Action[]) => runScript(stage, script)

test("what an answer gave is there for later actions", async () => {
  const stage = stageOf({ startInstance: () => ({ id: "i-1" }) })
  await play(stage, { start: "d" }, { call: "signal", with: { instanceId: "$it.id", deep: ["$it"] } })
  expect(stage.told[1]?.args).toEqual({ instanceId: "i-1", deep: [{ id: "i-1" }] })
})

test("a refusal must have the code that is expected", async () => {
  const stage = stageOf({ signal: refuse("conflict") })
  await play(stage, { call: "signal", refused: ["not-found", "conflict"] })
  await expect(play(stage, { call: "signal", refused: "not-found" })).rejects.toThrow(
    "script[0] call: expected not-found",
  )
  await expect(play(stage, { call: "signal" })).rejects.toThrow("conflict")
})

test("a refusal must be in the words that are expected", async () => {
  const stage = stageOf({ signal: refuse("conflict") })
  await play(stage, { call: "signal", refused: "conflict", says: "no$" })
  await expect(play(stage, { call: "signal", refused: "conflict", says: "bytes" })).rejects.toThrow("match bytes")
})

test("a call that is taken where a refusal was expected is a fault", async () => {
  await expect(play(stageOf({ signal: () => null }), { call: "signal", refused: "conflict" })).rejects.toThrow("taken")
})

test("an action that waits looks again until it is so", async () => {
  let looks = 0
  const stage = stageOf({ handled: () => ({ items: Array(++looks).fill(0) }) })
  await play(stage, { until: "handled", expect: { items: { $count: 3 } } })
  expect(looks).toBe(3)
})

test("of racing calls so many are taken as the script says", async () => {
  let first = true
  const race = () => {
    if (!first) refuse("conflict")()
    first = false
    return null
  }
  const script = { together: [{ call: "signal" }, { call: "signal" }], taken: 1 }
  await play(stageOf({ signal: race }), script)
  await expect(play(stageOf({ signal: () => null }), script)).rejects.toThrow("expected 1 to be taken, 2 were")
})

test("an audit trail with a gap is a fault, whatever else is expected", async () => {
  const trail = (...seqs: number[]) => ({ items: seqs.map((seq) => ({ seq, kind: "INSTANCE_STARTED" })) })
  const audit = (...seqs: number[]) =>
    play(
      stageOf({ startInstance: () => ({ id: "i-1" }), "/v1/instances/i-1/audit": () => trail(...seqs) }),
      { start: "d" },
      { audit: "it" },
    )
  await audit(1, 2, 3)
  await expect(audit(1, 3)).rejects.toThrow("inOrder")
})

test("each case is played for itself, and its place is named", async () => {
  const stage = stageOf({ startInstance: ({ definitionId }: { definitionId: string }) => ({ id: definitionId }) })
  const script: Action = { each: ["a", "b"], do: [{ start: "$case", expect: { id: "a" } }] }
  await expect(play(stage, script)).rejects.toThrow("script[0].each[1][0] start")
})
