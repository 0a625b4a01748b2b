// `millrace instances start`: a new instance, or with `--key` the one that there is to be of this key.
import type { wire } from "@millrace/sdk"
import type { Command } from "commander"
import { calledWrongly } from "../../command-error.ts"
import { cellText } from "../../drawing/cell-text.ts"
import { priority } from "../../options/choices.ts"
import { JSON_HINT, jsonArgument } from "../../options/json-argument.ts"
import { positiveWhole } from "../../options/numbers.ts"
import { given } from "../../options/values.ts"
import { RemoteEngine } from "../../remote-engine.ts"
import { type ShowOptions, say, withJson } from "../../terminal/show.ts"
import type { Surroundings } from "../../terminal/surroundings.ts"
import { watchRun } from "./watch-instance.ts"

interface StartOptions extends ShowOptions {
  readonly variables?: string
  readonly businessKey?: string
  readonly key?: string
  readonly version?: number
  readonly priority?: wire.Priority
  readonly linkingId?: string
}

export function addInstanceStart(group: Command, around: Surroundings): void {
  withJson(group.command("start <definition>").description("Start an instance of a definition."))
    .option("--variables <json>", JSON_HINT)
    .option("--business-key <key>", "its name in your system: one unfinished instance of the definition may have it")
    .option("--key <key>", "once per key and definition: a repeat gives back the instance that is there")
    .option("--version <n>", "of this version of the definition (default: the latest)", positiveWhole)
    .option("--priority <priority>", "critical, high or normal (default: the definition's)", priority)
    .option("--linking-id <id>", "the event that its run may wait for")
    .option("-w, --watch", "follow it until it ends, with its exit code: see `watch`")
    .action(async (definitionId: string, options: StartOptions) => {
      const engine = new RemoteEngine(around.env)
      const variables = await jsonArgument(around, options.variables, "--variables")
      const start = options.key === undefined ? startInstance : takeIntake
      const instance = await start(engine, definitionId, { ...options, variables })
      if (options.watch) return watchRun(around, engine, { id: instance.id, json: options.json === true })
      say(around, options, instance, (started) => linesOf(started))
    })
}

const linesOf = ({ id, definitionId, definitionVersion, status }: wire.Instance): readonly string[] => [
  `Started ${id} of ${cellText(definitionId)} version ${definitionVersion}: it is ${cellText(status)}.`,
  `\`millrace instances watch ${id}\` follows it.`,
]

type Wanted = Omit<StartOptions, "variables"> & { readonly variables: Record<string, unknown> }

function startInstance(engine: RemoteEngine, definitionId: string, wanted: Wanted): Promise<wire.Instance> {
  const { variables, businessKey, version: definitionVersion, priority, linkingId } = wanted
  const body = { definitionId, variables, ...given({ businessKey, definitionVersion, priority, linkingId }) }
  return engine.call("startInstance", { body })
}

/** A repeat is answered alike, so what is there is read afterwards. */
async function takeIntake(engine: RemoteEngine, definitionId: string, wanted: Wanted): Promise<wire.Instance> {
  const { key = "", variables, linkingId } = wanted
  const others = ["businessKey", "version", "priority"] as const
  if (others.some((option) => wanted[option] !== undefined))
    throw calledWrongly("--key goes with --variables and --linking-id only: the key says which instance it is")
  const asked = { path: { definitionId }, query: given({ linkingId }), body: variables }
  await engine.call("takeIntake", asked, { idempotencyKey: key })
  return engine.call("getIntake", { path: { definitionId, key } })
}
