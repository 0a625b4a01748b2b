// Works a run to its end: gives it the signals and completes the tasks it waits for, and lets time pass when there is nothing else.
import { isTerminal } from "../model/instances/instance-machine.ts"
import { completeUserTask } from "../operations/instances/change-instance.ts"
import type { JsonObject } from "../support/json.ts"
import type { RunView } from "./run-view.ts"
import type { PrivateEngine } from "./test-engine.ts"
import { listWaits, type WaitRow } from "./virtual-time.ts"

/** By name; each is given as often as the run waits for it. */
export interface Answers {
  readonly signals?: Readonly<Record<string, JsonObject>> | undefined
  /** What user tasks are completed with. */
  readonly tasks?: Readonly<Record<string, JsonObject>> | undefined
}

// A run that is retried for ever must not be followed for ever.
const MOST_TURNS = 500

export async function driveRun(
  engine: PrivateEngine,
  id: string,
  work: () => Promise<{ readonly processed: number }>,
  answers: Answers,
): Promise<RunView> {
  let waits: readonly WaitRow[] = []
  let wasIdle = false
  for (let turn = 0; turn < MOST_TURNS; turn++) {
    const { processed } = await work()
    const status = await engine.mill.runs.handle(id).status()
    if (isTerminal(status)) return (await engine.mill.runs.get(id)) as RunView
    if (await engine.time.release()) continue
    waits = await listWaits(engine.core.kernel.db, id)
    const moved = (await answer(engine, waits, answers)) || (await engine.time.hop())
    const isIdle = !moved && processed === 0
    // The engine's own loops may have made something ready since the work was looked for: the next turn finds it.
    if (isIdle && wasIdle) throw new Error(stuck(status, waits))
    wasIdle = isIdle
  }
  throw new Error(`the run comes to no end: ${heldReasons(waits)}`)
}

async function answer(engine: PrivateEngine, waits: readonly WaitRow[], answers: Answers): Promise<boolean> {
  for (const row of waits)
    for (const name of namesOf(row)) if (await give(engine, row.instance_id, name, answers)) return true
  return false
}

async function give(engine: PrivateEngine, id: string, name: string, { signals, tasks }: Answers): Promise<boolean> {
  const [result, payload] = [tasks?.[name], signals?.[name]]
  const completion = { instanceId: id, stepId: name, variables: result ?? {}, completedBy: undefined, actor: "test" }
  if (result) await completeUserTask(engine.core.kernel, completion)
  else if (payload) await engine.mill.runs.handle(id).signal(name, payload)
  return result !== undefined || payload !== undefined
}

const namesOf = ({ waits_for }: WaitRow): string[] => (waits_for === null ? [] : waits_for.split("\n"))

function stuck(status: RunView["status"], waits: readonly WaitRow[]): string {
  const names = waits.flatMap(namesOf)
  if (names.length === 0) return `the run is ${status} and nothing will move it: ${heldReasons(waits)}`
  const given = names.map((name) => `${name}: {…}`).join(", ")
  return `the run waits for ${names.join(", ")}: give it as \`signals: { ${given} }\`, as \`tasks\` if it is a user task, or its workflow as \`children\` if it is a child`
}

const heldReasons = (waits: readonly WaitRow[]): string =>
  waits.flatMap(({ held_reason }) => held_reason ?? []).join("; ") || "no reason is recorded"
