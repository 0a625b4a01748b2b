// `millrace instances start`: a new instance, or with `--key` the one that there is to be of this key.
import { isDeepStrictEqual } from "node:util"
import type { wire } from "@millrace/sdk"
import type { Command } from "commander"
import { closestName } from "../../../model/definitions/closest-name.ts"
import { CommandError, calledWrongly } from "../../command-error.ts"
import { cellText } from "../../drawing/cell-text.ts"
import { moment } from "../../drawing/times.ts"
import { definitionIds } from "../../known-names.ts"
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
    .option("--key <key>", "once per key: a repeat starts nothing, other input is refused")
    .option("--version <n>", "of this version of the definition (default: the latest)", positiveWhole)
    .option("--priority <priority>", "critical, high or normal (default: the definition's)", priority)
    .option("--linking-id <id>", "the event that its run may wait for")
    .option("-w, --watch", "follow it until it ends, with its exit code: see `watch`")
    .action(async (definitionId: string, options: StartOptions) => {
      const engine = new RemoteEngine(around.env)
      const variables = await jsonArgument(around, options.variables, "--variables")
      const start = options.key === undefined ? startNew : startOnce
      const { instance, isRepeat } = await start(engine, definitionId, { ...options, variables }).catch((error) =>
        sayNearest(engine, definitionId, error),
      )
      if (options.watch) return watchRun(around, engine, { id: instance.id, json: options.json === true })
      say(around, options, instance, (one) => [
        isRepeat ? `Already there: ${nameOf(one)}; nothing was started.` : `Started ${nameOf(one)}.`,
        `\`millrace instances watch ${one.id}\` follows it.`,
      ])
    })
}

/** A definition that there is not: the one with nearly this name, where the key may list them. */
async function sayNearest(engine: RemoteEngine, wanted: string, error: unknown): Promise<never> {
  if (!(error instanceof CommandError && error.refusal === "not-found")) throw error
  const ids = await definitionIds(engine)
  const meant = ids === undefined || ids.includes(wanted) ? undefined : closestName(wanted, ids)
  if (meant === undefined) throw error
  throw new CommandError(`${error.message} (did you mean ${cellText(meant)}?)`, error.exitCode, error.refusal)
}

const nameOf = ({ id, definitionId, definitionVersion, status }: wire.Instance): string =>
  `${id} of ${cellText(definitionId)} version ${definitionVersion}: it is ${cellText(status)}`

type Wanted = Omit<StartOptions, "variables"> & { readonly variables: Record<string, unknown> }

interface Outcome {
  readonly instance: wire.Instance
  readonly isRepeat: boolean
}

async function startNew(engine: RemoteEngine, definitionId: string, wanted: Wanted): Promise<Outcome> {
  const { variables, businessKey, version: definitionVersion, priority, linkingId } = wanted
  const body = { definitionId, variables, ...given({ businessKey, definitionVersion, priority, linkingId }) }
  return { instance: await engine.call("startInstance", { body }), isRepeat: false }
}

/** Intake answers a repeat like the first, whatever its input: so what has the key is looked at before, and after for another's start. */
async function startOnce(engine: RemoteEngine, definitionId: string, wanted: Wanted): Promise<Outcome> {
  const { key = "", variables, linkingId } = wanted
  const others = ["businessKey", "version", "priority"] as const
  if (others.some((option) => wanted[option] !== undefined))
    throw calledWrongly("--key goes with --variables and --linking-id only: the key says which instance it is")
  const path = { definitionId, key }
  const earlier = await engine.callIfFound("getIntake", { path })
  if (earlier) return { instance: withInput(earlier, key, variables), isRepeat: true }
  const asked = { path: { definitionId }, query: given({ linkingId }), body: variables }
  await engine.call("takeIntake", asked, { idempotencyKey: key })
  return { instance: withInput(await engine.call("getIntake", { path }), key, variables), isRepeat: false }
}

/** The instance, unless it was started with another input: then the one that was given now went nowhere. */
function withInput(instance: wire.Instance, key: string, input: object): wire.Instance {
  const { id, startedAt, input: first = input } = instance
  if (isDeepStrictEqual(first, input)) return instance
  throw new CommandError(
    `the key ${cellText(key)} is taken by instance ${id}, started at ${moment(startedAt)} with other input; nothing was started`,
  )
}
