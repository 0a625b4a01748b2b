// `millrace downstreams`: what the systems behind the handlers can take, how each stands, and pausing one.
import type { Command } from "commander"
import { ApiClient } from "../api-client.ts"
import { calledWrongly } from "../command-error.ts"
import { cellText } from "../drawing/cell-text.ts"
import { type DownstreamAnswer, drawDownstream, drawDownstreams } from "../drawing/downstream-picture.ts"
import type { PauseAnswer } from "../drawing/pause-picture.ts"
import { type ShowOptions, say, show, withJson, withShow } from "../drawing/show.ts"
import type { Surroundings } from "../surroundings.ts"
import { examples, listCommand, positiveNumber, segment, shellWord, wholeNumber } from "./group.ts"
import { pause, resume } from "./pause-commands.ts"

type Limits = { readonly perSecond?: number; readonly concurrency?: number; readonly adaptive?: boolean }

const pathOf = (name: string): string => `/v1/downstreams/${segment(name)}`

export function addDownstreamCommands(group: Command, around: Surroundings): void {
  const api = () => new ApiClient(around.env)
  withShow(listCommand(group, "Limits, what is in flight, what waits, and who has pushed back.")).action(
    (options: ShowOptions) => {
      const client = api()
      return show(around, options, { read: () => readAll(client), draw: drawDownstreams })
    },
  )
  withJson(group.command("set <name>").description("These limits and no others: what is left out is not limited."))
    .option("--per-second <n>", "jobs handed out per second, over all workers", positiveNumber)
    .option("--concurrency <n>", "jobs that may run at a time, over all workers", wholeNumber)
    .option("--adaptive", "slow down when it pushes back (429, 503), and recover step by step")
    .action(async (name: string, { json, ...limits }: ShowOptions & Limits) => {
      if (Object.keys(limits).length === 0)
        throw calledWrongly("name a limit: --per-second, --concurrency or --adaptive; `remove` takes all of them away")
      say(
        around,
        { json: json === true },
        await api().send<DownstreamAnswer>("PUT", pathOf(name), limits),
        drawDownstream,
      )
    })
  withJson(group.command("remove <name>").description("Take its limits away.")).action(
    async (name: string, options: ShowOptions) => {
      const client = api()
      const all = await client.getIfAllowed<{ items: readonly DownstreamAnswer[] }>("/v1/downstreams")
      await client.send("DELETE", pathOf(name))
      const was = all && limitsOf(all.items.find((one) => one.name === name))
      say(around, options, { name, removed: true, was }, () => [removal(name, was)])
    },
  )
  addPauses(group, around)
  examples(
    group,
    `  millrace downstreams --watch
  millrace downstreams set stripe --per-second 50 --concurrency 10 --adaptive
  millrace downstreams pause stripe --reason "status page says so"
  millrace downstreams resume stripe
  millrace downstreams remove stripe`,
  )
}

const limitsOf = ({ perSecond, concurrency, adaptive }: Partial<DownstreamAnswer> = {}): readonly string[] => [
  ...(perSecond === undefined ? [] : [`--per-second ${perSecond}`]),
  ...(concurrency === undefined ? [] : [`--concurrency ${concurrency}`]),
  ...(adaptive ? ["--adaptive"] : []),
]

function removal(name: string, was: readonly string[] | undefined): string {
  if (was?.length === 0) return `${cellText(name)} had no limits.`
  const again = `millrace downstreams set ${shellWord(name)} ${was?.join(" ") ?? "…"}`
  return `${cellText(name)} has no limits any more; \`${again}\` sets them again.`
}

function addPauses(group: Command, around: Surroundings): void {
  const api = () => new ApiClient(around.env)
  withJson(group.command("pause <name>").description("Hand out no job that needs it."))
    .option("--reason <text>", "why: kept with who and when")
    .action(async (name: string, { reason, ...options }: ShowOptions & { reason?: string }) => {
      const answer = await pause(api(), "downstream", name, reason)
      say(around, options, answer, () => [
        `${cellText(name)} is paused: jobs that need it wait until \`millrace downstreams resume ${shellWord(name)}\`.`,
      ])
    })
  withJson(group.command("resume <name>").description("Hand them out again.")).action(
    async (name: string, options: ShowOptions) => {
      const wasPaused = await resume(api(), "downstream", name)
      say(around, options, { name, paused: false, wasPaused }, () => [
        `${cellText(name)} ${wasPaused === false ? "was not paused" : "is called again"}.`,
      ])
    },
  )
}

async function readAll(api: ApiClient) {
  const [{ items }, pauses] = await Promise.all([
    api.get<{ items: readonly DownstreamAnswer[] }>("/v1/downstreams"),
    api.get<{ items: readonly PauseAnswer[] }>("/v1/pauses"),
  ])
  return { items, pauses: pauses.items.filter(({ kind }) => kind === "downstream") }
}
