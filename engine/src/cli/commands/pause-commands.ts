// `millrace pauses`: what is held back, and holding back a job type or a definition.
import type { Command } from "commander"
import { ApiClient } from "../api-client.ts"
import { calledWrongly } from "../command-error.ts"
import { cellText } from "../drawing/cell-text.ts"
import { drawPauses, type PauseAnswer } from "../drawing/pause-picture.ts"
import { type ShowOptions, say, show, withJson, withShow } from "../drawing/show.ts"
import type { Surroundings } from "../surroundings.ts"
import { examples, listCommand, segment, shellWord } from "./group.ts"

type AddOptions = ShowOptions & { readonly reason?: string }

/** Lanes and downstreams have commands of their own; they are taken here too. */
const KINDS = ["jobType", "definition", "queue", "downstream"] as const
type Kind = (typeof KINDS)[number]

export function addPauseCommands(group: Command, around: Surroundings): void {
  const api = () => new ApiClient(around.env)
  withShow(listCommand(group, "Everything that is paused: by whom, since when, why.")).action(
    (options: ShowOptions) => {
      const client = api()
      const read = () => client.get<{ items: readonly PauseAnswer[] }>("/v1/pauses")
      return show(around, options, { read, draw: ({ items }, canvas) => drawPauses(items, canvas) })
    },
  )
  withJson(group.command("add <kind> <name>").description(`Pause one of: ${KINDS.join(", ")}. What runs is finished.`))
    .option("--reason <text>", "why: kept with who and when")
    .action(async (word: string, name: string, { reason, ...options }: AddOptions) => {
      const answer = await pause(api(), kindOf(word), name, reason)
      say(around, options, answer, ({ kind }) => [
        `Paused ${kind} ${cellText(name)}, until \`millrace pauses remove ${kind} ${shellWord(name)}\`.`,
      ])
    })
  withJson(group.command("remove <kind> <name>").description("Resume it.")).action(
    async (word: string, name: string, options: ShowOptions) => {
      const kind = kindOf(word)
      const wasPaused = await resume(api(), kind, name)
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

export const pause = (api: ApiClient, kind: Kind, name: string, reason: string | undefined): Promise<PauseAnswer> =>
  api.send("POST", "/v1/pauses", { kind, name, ...(reason === undefined ? {} : { reason }) })

/** Whether it was paused; undefined where that may not be read. */
export async function resume(api: ApiClient, kind: Kind, name: string): Promise<boolean | undefined> {
  const pauses = await api.getIfAllowed<{ items: readonly PauseAnswer[] }>("/v1/pauses")
  await api.send("DELETE", `/v1/pauses/${kind}/${segment(name)}`)
  return pauses?.items.some((one) => one.kind === kind && one.name === name)
}

/** However it is spelt: job-type, jobtype. */
function kindOf(word: string): Kind {
  const kind = KINDS.find((known) => known.toLowerCase() === word.replaceAll(/[-_]/g, "").toLowerCase())
  if (!kind) throw calledWrongly(`${cellText(word)} cannot be paused; the kinds are ${KINDS.join(", ")}`)
  return kind
}
