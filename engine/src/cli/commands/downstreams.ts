// `millrace downstreams`: what the systems behind the handlers can take, how each stands, and pausing one.
import type { wire } from "@millrace/sdk"
import type { Command } from "commander"
import { calledWrongly } from "../command-error.ts"
import { cellText, shellWord } from "../drawing/cell-text.ts"
import { drawDownstream, drawDownstreams } from "../drawing/flow/downstream-picture.ts"
import { strangerLine } from "../drawing/stranger.ts"
import { positiveNumber, wholeNumber } from "../options/numbers.ts"
import { given } from "../options/values.ts"
import { RemoteEngine } from "../remote-engine.ts"
import { type ShowOptions, say, show, withJson, withShow } from "../terminal/show.ts"
import type { Surroundings } from "../terminal/surroundings.ts"
import { examples, listCommand } from "./group.ts"
import { pause, resume } from "./pauses.ts"

export function addDownstreamCommands(group: Command, around: Surroundings): void {
  withShow(listCommand(group, "Limits, what is in flight, what waits, and which have pushed back.")).action(
    (options: ShowOptions) => {
      const engine = new RemoteEngine(around.env)
      return show(around, options, { read: () => readAll(engine), draw: drawDownstreams })
    },
  )
  addLimits(group, around)
  addPauses(group, around)
  examples(
    group,
    `  millrace downstreams --watch
  millrace downstreams set stripe --per-second 50 --concurrency 10 --adaptive
  millrace downstreams set stripe --per-second 20 --no-adaptive
  millrace downstreams pause stripe --reason "status page says so"
  millrace downstreams resume stripe
  millrace downstreams remove stripe`,
  )
}

async function readAll(engine: RemoteEngine) {
  const [{ items }, pauses] = await Promise.all([engine.call("listDownstreams"), engine.call("listPauses")])
  return { items, pauses: pauses.items.filter(({ kind }) => kind === "downstream") }
}

function addLimits(group: Command, around: Surroundings): void {
  withJson(group.command("set <name>").description("Change its limits: those that are left out stay as they are."))
    .option("--per-second <n>", "jobs handed out per second, over all workers", positiveNumber)
    .option("--no-per-second", "as many per second as there are")
    .option("--concurrency <n>", "jobs that may run at a time, over all workers", wholeNumber)
    .option("--no-concurrency", "as many at a time as there are")
    .option("--adaptive", "slow down when it pushes back (429, 503), and recover step by step")
    .option("--no-adaptive", "do not slow down")
    .action(async (name: string, { json, ...wanted }: ShowOptions & WantedLimits) => {
      if (Object.keys(wanted).length === 0)
        throw calledWrongly("name a limit: --per-second, --concurrency or --adaptive; `remove` takes all of them away")
      const engine = new RemoteEngine(around.env)
      const known = await readKnown(engine, wanted)
      const body = limitsWith(
        wanted,
        known?.find((one) => one.name === name),
      )
      const downstream = await engine.call("setDownstream", { path: { name }, body })
      const draw = (...drawn: Parameters<typeof drawDownstream>) => [
        ...drawDownstream(...drawn),
        ...strangerOf(name, known),
      ]
      say(around, { json: json === true }, downstream, draw)
    })
  withJson(group.command("remove <name>").description("Take its limits away.")).action(
    async (name: string, options: ShowOptions) => {
      const engine = new RemoteEngine(around.env)
      const all = await engine.callIfAllowed("listDownstreams")
      await engine.call("deleteDownstream", { path: { name } })
      const was = all && limitsOf(all.items.find((one) => one.name === name))
      say(around, options, { name, removed: true, was }, () => [removal(name, was)])
    },
  )
}

/** False takes a limit away; what is left out stays. */
interface WantedLimits {
  readonly perSecond?: number | false
  readonly concurrency?: number | false
  readonly adaptive?: boolean
}

/** The current limits. They are not read where all are replaced, so that a key without permission to read can still set them all. */
async function readKnown(engine: RemoteEngine, wanted: WantedLimits): Promise<Known> {
  if (Object.keys(wanted).length === 3) return undefined
  return (await engine.call("listDownstreams")).items
}

type Known = readonly wire.Downstream[] | undefined

const strangerOf = (name: string, known: Known): readonly string[] =>
  strangerLine(
    name,
    known?.map((one) => one.name),
    `No job has named ${cellText(name)} so far`,
  )

/** The route puts these limits and no others, so those that stay are sent, too. */
function limitsWith(wanted: WantedLimits, now: wire.DownstreamLimits = {}): wire.DownstreamLimits {
  const { perSecond = now.perSecond, concurrency = now.concurrency, adaptive = now.adaptive } = wanted
  return {
    ...(perSecond === undefined || perSecond === false ? {} : { perSecond }),
    ...(concurrency === undefined || concurrency === false ? {} : { concurrency }),
    ...(adaptive ? { adaptive } : {}),
  }
}

const limitsOf = ({ perSecond, concurrency, adaptive }: wire.DownstreamLimits = {}): readonly string[] => [
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
  withJson(group.command("pause <name>").description("Hand out no job that needs it."))
    .option("--reason <text>", "why: kept with who and when")
    .action(async (name: string, { reason, ...options }: ShowOptions & { reason?: string }) => {
      const engine = new RemoteEngine(around.env)
      const body = { kind: "downstream", name, ...given({ reason }) } as const
      const paused = await pause(engine, body)
      const all = await engine.callIfAllowed("listDownstreams")
      say(around, options, paused, () => [
        `${cellText(name)} is paused: jobs that need it wait until \`millrace downstreams resume ${shellWord(name)}\`.`,
        ...strangerOf(name, all?.items),
      ])
    })
  withJson(group.command("resume <name>").description("Hand its jobs out again.")).action(
    async (name: string, options: ShowOptions) => {
      const wasPaused = await resume(new RemoteEngine(around.env), "downstream", name)
      say(around, options, { name, paused: false, wasPaused }, () => [
        `${cellText(name)} ${wasPaused === false ? "was not paused" : "is called again"}.`,
      ])
    },
  )
}
