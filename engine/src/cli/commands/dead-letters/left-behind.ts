// Why a bulk operation has left dead letters as they were: a run that is undone is told with what to do, the rest is in the engine's log.
import type { wire } from "@millrace/sdk"
import { CommandError } from "../../command-error.ts"
import { cellText } from "../../drawing/cell-text.ts"
import { plural } from "../../drawing/times.ts"
import type { RemoteEngine } from "../../remote-engine.ts"

/** How many of the remaining dead letters are read. */
const LOOKED_AT = 20

/** What could not be changed is a failure, however many others were. */
export async function leftBehind(
  engine: RemoteEngine,
  bulk: wire.Bulk,
  filter: wire.DeadLetterFilter,
): Promise<CommandError> {
  const [undone, ...others] = bulk.action === "replay" ? await findUndone(engine, filter) : []
  const log = `the engine's log says why, in its warnings of bulk ${cellText(bulk.id)}`
  const left = `${plural(bulk.failed, "dead letter")} ${bulk.failed === 1 ? "was" : "were"} left`
  if (undone === undefined) return new CommandError(`${left}: ${log}`)
  const { id, instance_id: run = "" } = undone
  const count = others.length + 1
  const rest = count < bulk.failed ? [`  of the others ${log}`] : []
  return new CommandError(
    [
      `${left}:`,
      `  ${count} of runs whose steps are undone, which cannot go on, such as ${cellText(id)} of run ${cellText(run)}`,
      `  \`millrace instances restart ${cellText(run)}\` starts a new run in its place, \`millrace dead-letters discard ${cellText(id)}\` takes the letter away`,
      ...rest,
    ].join("\n"),
  )
}

/** Returns none where they cannot be read: the rest is reported all the same. */
const findUndone = (engine: RemoteEngine, filter: wire.DeadLetterFilter): Promise<readonly wire.DeadLetter[]> =>
  readUndone(engine, filter).catch((error: unknown) => {
    if (error instanceof CommandError) return []
    throw error
  })

async function readUndone(engine: RemoteEngine, filter: wire.DeadLetterFilter): Promise<readonly wire.DeadLetter[]> {
  const { items } = await engine.call("listDeadLetters", { query: { ...filter, limit: LOOKED_AT } })
  const letters = await Promise.all(items.map(async (letter) => ((await isUndone(engine, letter)) ? [letter] : [])))
  return letters.flat()
}

async function isUndone(engine: RemoteEngine, { instance_id: instanceId }: wire.DeadLetter): Promise<boolean> {
  if (instanceId === undefined) return false
  const instance = await engine.callIfFound("getInstance", { path: { instanceId } })
  return instance?.undoneBy !== undefined
}
