// `millrace instances signal`, `cancel`, `retry` and `restart`: what moves one on, ends it, or gives it another try.
import type { wire } from "@millrace/sdk"
import type { Command } from "commander"
import { CommandError, calledWrongly } from "../../command-error.ts"
import { cellText } from "../../drawing/cell-text.ts"
import { JSON_HINT, jsonArgument } from "../../options/json-argument.ts"
import { positiveWhole } from "../../options/numbers.ts"
import { given } from "../../options/values.ts"
import { RemoteEngine } from "../../remote-engine.ts"
import { type ShowOptions, say, withJson } from "../../terminal/show.ts"
import type { Surroundings } from "../../terminal/surroundings.ts"
import { findInstance, isLive, type WhichOptions, withWhich } from "./find-instance.ts"

type Options = ShowOptions & WhichOptions

interface SignalOptions extends Options {
  readonly variables?: string
}

interface RetryOptions extends SignalOptions {
  readonly step?: string
}

interface RestartOptions extends SignalOptions {
  readonly from?: string
  readonly version?: number
}

export function addInstanceChanges(group: Command, around: Surroundings): void {
  addSignal(group, around)
  withWhich(withJson(group.command("cancel <id|key>").description("End it now: what runs is told to stop.")))
    .option("--reason <text>", "why: kept as its failure reason")
    .action(async (word: string, { reason, ...options }: Options & { readonly reason?: string }) => {
      const engine = new RemoteEngine(around.env)
      const path = { instanceId: await findInstance(engine, word, options) }
      say(around, options, await engine.call("cancelInstance", { path, body: given({ reason }) }), statusOf)
    })
  addRetry(group, around)
  addRestart(group, around)
}

const statusOf = ({ id, status }: wire.Instance): readonly string[] => [`Instance ${id} is ${cellText(status)}.`]

function addSignal(group: Command, around: Surroundings): void {
  withWhich(
    withJson(
      group
        .command("signal <id|key> [signal]")
        .description("Send the signal, or the step of a graph, that it waits for; it may be left out if there is one."),
    ),
  )
    .option("--variables <json>", `what it brings along: ${JSON_HINT}`)
    .action(async (word: string, signal: string | undefined, { variables, ...options }: SignalOptions) => {
      const body = await jsonArgument(around, variables, "--variables")
      const engine = new RemoteEngine(around.env)
      const waits = async ({ id }: wire.Instance) => {
        const names = (await awaitedSignals(engine, id)) ?? []
        return signal === undefined ? names.length > 0 : names.includes(signal)
      }
      const instanceId = await findInstance(engine, word, { ...options, fits: [isLive, waits] })
      const awaited = await awaitedSignals(engine, instanceId)
      const stepId = signal ?? onlySignal(instanceId, awaited)
      await engine.call("signalInstance", { path: { instanceId, stepId }, body })
      say(around, options, { instanceId, signal: stepId }, () => [
        `Sent ${cellText(stepId)} to ${instanceId}.`,
        ...(awaited === undefined || awaited.includes(stepId) ? [] : [keptLine(awaited)]),
      ])
    })
}

/** It was taken all the same; of a run of code only its worker knows whether it ever asks for a signal of this name. */
const keptLine = (awaited: readonly string[]): string =>
  `It does not wait for that now: the signal is kept in case it does.${
    awaited.length === 0 ? "" : ` It waits for ${awaited.map(cellText).join(", ")}.`
  }`

/** The only one there is to send. */
function onlySignal(instanceId: string, names: readonly string[] | undefined): string {
  if (names === undefined) throw calledWrongly(`this key may not read what ${instanceId} waits for: name the signal`)
  if (names.length === 1) return names[0] as string
  if (names.length === 0)
    throw new CommandError(
      `${instanceId} waits for no signal; \`millrace instances show ${instanceId}\` tells what it waits for`,
    )
  throw calledWrongly(`${instanceId} waits for several signals, name one: ${names.map(cellText).join(", ")}`)
}

/** Undefined where the key may send signals but not read. */
async function awaitedSignals(engine: RemoteEngine, instanceId: string): Promise<readonly string[] | undefined> {
  const waiting = await engine.callIfAllowed("getInstanceWaiting", { path: { instanceId } })
  const waits = waiting?.reasons.filter(({ kind }) => kind === "signal")
  return waits && [...new Set(waits.flatMap(signalsOf))]
}

/** A run waits for signals by name; a graph waits at a step. */
function signalsOf({ stepId, detail: { step, signals } }: wire.WaitingReason): readonly string[] {
  if (step !== undefined && Array.isArray(signals)) return signals.map(String)
  return stepId === undefined ? [] : [stepId]
}

function addRetry(group: Command, around: Surroundings): void {
  withWhich(
    withJson(group.command("retry <id|key>").description("Give a failed one another try, at the step that failed.")),
  )
    .option("--step <id>", "at this step of a graph")
    .option("--variables <json>", `changed before it goes on: ${JSON_HINT}`)
    .action(async (word: string, { step: stepId, variables, ...options }: RetryOptions) => {
      const given = variables === undefined ? {} : { variables: await jsonArgument(around, variables, "--variables") }
      const engine = new RemoteEngine(around.env)
      const fits = [({ status }: wire.Instance) => status === "FAILED"]
      const instanceId = await findInstance(engine, word, { ...options, fits })
      const instance = await (stepId === undefined
        ? engine.call("retryInstance", { path: { instanceId }, body: given })
        : engine.call("retryStep", { path: { instanceId, stepId }, body: given }))
      say(around, options, instance, statusOf)
    })
}

function addRestart(group: Command, around: Surroundings): void {
  withWhich(
    withJson(
      group
        .command("restart <id|key>")
        .description(
          "Start a new one in the place of one that has ended, which stays as it is; of the latest version, unless --version says another.",
        ),
    ),
  )
    .option("--from <step>", "begin with this step instead of the first")
    .option("--version <n>", "of this version of the definition (default: the latest)", positiveWhole)
    .option("--variables <json>", `merged over what it begins with: ${JSON_HINT}`)
    .action(async (word: string, { from: fromStep, version, variables: text, ...options }: RestartOptions) => {
      const variables = text === undefined ? undefined : await jsonArgument(around, text, "--variables")
      const engine = new RemoteEngine(around.env)
      const fits = [(one: wire.Instance) => !isLive(one)]
      const instanceId = await findInstance(engine, word, { ...options, fits })
      const body = given({ fromStep, variables, definitionVersion: version })
      const instance = await engine.call("restartInstance", { path: { instanceId }, body })
      const ancestor = await engine.callIfPossible("getInstance", { path: { instanceId } })
      say(around, options, instance, startedAs(instanceId, ancestor?.definitionVersion))
    })
}

/** `before` is the version of the one that has ended, where the key may read it. */
const startedAs =
  (ancestor: string, before: number | undefined) =>
  ({ id, status, definitionVersion: version }: wire.Instance): readonly string[] => {
    const was = before === undefined || before === version ? "" : ` (it was ${before})`
    return [`Instance ${id} of version ${version}${was} takes the place of ${ancestor} and is ${cellText(status)}.`]
  }
