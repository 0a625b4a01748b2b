// Plays a script: one action after the other, each by the function of its verb.
import { Refusal } from "../control/refusal.ts"
import type { Action, ActionOf } from "./action.ts"
import { playCall, playStart, playUntil } from "./calls.ts"
import { playRead, playSend } from "./doors.ts"
import { playAudit, playEnded, playHistory, playStandsAt } from "./looks.ts"
import { resolve } from "./resolve.ts"
import { type Stage, withValue } from "./stage.ts"

export async function runScript(stage: Stage, script: readonly Action[], place = "script"): Promise<void> {
  for (const [at, action] of script.entries()) await runAction(stage, action, `${place}[${at}]`)
}

// biome-ignore lint/suspicious/noExplicitAny: each function takes the action of its own verb.
type Play = (stage: Stage, action: any, place: string) => Promise<void>

const VERBS: Readonly<Record<string, Play>> = {
  start: playStart,
  call: playCall,
  until: playUntil,
  ended: playEnded,
  standsAt: playStandsAt,
  history: playHistory,
  audit: playAudit,
  read: playRead,
  send: playSend,
  each: playEach,
  together: playTogether,
  kill: playKill,
  exits: playExits,
}

/** Their actions are resolved when their turn comes: what they refer to may not be known yet. */
const LATER = new Set(["do", "together"])

async function runAction(stage: Stage, action: Action, place: string): Promise<void> {
  const verb = Object.keys(VERBS).find((name) => name in action)
  if (verb === undefined) throw new Error(`${place} has no verb: ${JSON.stringify(action)}`)
  const fields = Object.entries(action).map(([key, value]) => [
    key,
    LATER.has(key) ? value : resolve(value, stage.values),
  ])
  try {
    await VERBS[verb]?.(stage, Object.fromEntries(fields), place)
  } catch (error) {
    throw withPlace(error, `${place} ${verb}${action.why ? `, ${action.why}` : ""}`)
  }
}

/** A refusal stays one, so that a race can tell it from a fault. */
function withPlace(error: unknown, place: string): unknown {
  if (error instanceof Error && !error.message.startsWith("script[")) error.message = `${place}: ${error.message}`
  return error
}

async function playEach(stage: Stage, { each, do: script }: ActionOf<"each">, place: string): Promise<void> {
  await Promise.all(each.map((one, at) => runScript(withValue(stage, "case", one), script, `${place}.each[${at}]`)))
}

async function playTogether(stage: Stage, { together, taken }: ActionOf<"together">, place: string): Promise<void> {
  const outcomes = await Promise.allSettled(together.map((action) => runScript(stage, [action], `${place}.together`)))
  const faults = outcomes.flatMap((outcome) => (outcome.status === "rejected" ? [outcome.reason as Error] : []))
  const [fault] = taken === undefined ? faults : faults.filter((error) => !(error instanceof Refusal))
  if (fault) throw fault
  const count = outcomes.length - faults.length
  if (taken !== undefined && count !== taken) throw new Error(`expected ${taken} to be taken, ${count} were`)
}

async function playKill(stage: Stage, { kill }: ActionOf<"kill">): Promise<void> {
  const program = stage.program(kill)
  program.kill()
  await program.ended
}

async function playExits(stage: Stage, { exits }: ActionOf<"exits">): Promise<void> {
  await stage.program(exits).ended
}
