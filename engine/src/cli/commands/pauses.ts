// `millrace pauses`: what is held back, and holding back a job type or a definition.
import type { wire } from "@millrace/sdk"
import type { Command } from "commander"
import { calledWrongly } from "../command-error.ts"
import { cellText, shellWord } from "../drawing/cell-text.ts"
import { drawPauses } from "../drawing/flow/pause-picture.ts"
import { strangerLine } from "../drawing/stranger.ts"
import { definitionIds } from "../known-names.ts"
import { given } from "../options/values.ts"
import { RemoteEngine } from "../remote-engine.ts"
import { type ShowOptions, say, show, withJson, withShow } from "../terminal/show.ts"
import type { Surroundings } from "../terminal/surroundings.ts"
import { examples, listCommand } from "./group.ts"

type AddOptions = ShowOptions & { readonly reason?: string }

/** Priorities (the wire calls them queues) and downstreams have commands of their own; they are taken here too. */
const KINDS: readonly wire.PauseKind[] = ["jobType", "definition", "queue", "downstream"]

export function addPauseCommands(group: Command, around: Surroundings): void {
  const engine = () => new RemoteEngine(around.env)
  withShow(listCommand(group, "Everything that is paused: by whom, since when, why.")).action(
    (options: ShowOptions) => {
      const remote = engine()
      const read = () => remote.call("listPauses")
      return show(around, options, { read, draw: ({ items }, canvas) => drawPauses(items, canvas) })
    },
  )
  withJson(group.command("add <kind> <name>").description(`Pause one of: ${KINDS.join(", ")}. What runs is finished.`))
    .option("--reason <text>", "why: kept with who and when")
    .action(async (word: string, name: string, { reason, ...options }: AddOptions) => {
      const remote = engine()
      const answer = await pause(remote, { kind: kindOf(word), name, ...given({ reason }) })
      const known = await namesOf(remote, answer.kind)
      say(around, options, answer, ({ kind }) => [
        `Paused ${kind} ${cellText(name)}, until \`millrace pauses remove ${kind} ${shellWord(name)}\`.`,
        ...strangerLine(name, known, `No ${kind} has the name ${cellText(name)} so far`),
      ])
    })
  withJson(group.command("remove <kind> <name>").description("Resume it.")).action(
    async (word: string, name: string, options: ShowOptions) => {
      const kind = kindOf(word)
      const wasPaused = await resume(engine(), kind, name)
      say(around, options, { kind, name, paused: false, wasPaused }, () => [
        wasPaused === false
          ? `${kind} ${cellText(name)} was not paused.`
          : `Resumed ${kind} ${cellText(name)}; \`millrace pauses add ${kind} ${shellWord(name)}\` pauses it again.`,
      ])
    },
  )
  examples(
    group,
    `  millrace pauses
  millrace pauses add jobType send_email --reason "provider is down"
  millrace pauses add definition onboarding
  millrace pauses remove jobType send_email`,
  )
}

/** The existing names. Undefined where a name cannot be misspelt, where there are too many, or where the key may not read them. */
async function namesOf(engine: RemoteEngine, kind: wire.PauseKind): Promise<readonly string[] | undefined> {
  if (kind === "jobType") return (await engine.callIfPossible("listJobTypes"))?.items.map((one) => one.name)
  if (kind === "definition") return definitionIds(engine)
  if (kind === "downstream") return (await engine.callIfPossible("listDownstreams"))?.items.map((one) => one.name)
  return undefined
}

export const pause = (engine: RemoteEngine, body: wire.PauseRequest): Promise<wire.Pause> =>
  engine.call("pause", { body })

/** Whether it was paused; undefined where the key may not read that. */
export async function resume(engine: RemoteEngine, kind: wire.PauseKind, name: string): Promise<boolean | undefined> {
  const wasPaused = await isPaused(engine, kind, name)
  await engine.call("resume", { path: { kind, name } })
  return wasPaused
}

/** Undefined where the key may not read that. */
export async function isPaused(engine: RemoteEngine, kind: wire.PauseKind, name: string): Promise<boolean | undefined> {
  const pauses = await engine.callIfAllowed("listPauses")
  return pauses?.items.some((one) => one.kind === kind && one.name === name)
}

/** However it is spelt: job-type, jobtype. */
function kindOf(word: string): wire.PauseKind {
  const kind = KINDS.find((known) => known.toLowerCase() === word.replaceAll(/[-_]/g, "").toLowerCase())
  if (!kind) throw calledWrongly(`${cellText(word)} cannot be paused; the kinds are ${KINDS.join(", ")}`)
  return kind
}
