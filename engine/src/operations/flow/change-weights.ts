// The weights of the priorities: what they are, another choice at run time, and back to the configuration.

import type { Transaction } from "../../db/transaction.ts"
import { PRIORITIES } from "../../model/definitions/definition.ts"
import { faultsOfWeights, type Weights, weightsOfVersion, weightsVersion } from "../../model/flow/weights.ts"
import { deleteLive, findWeightsChange, replaceLive, setLive } from "../../store/flow/live-settings.ts"
import { EngineError, unprocessable } from "../../support/errors.ts"
import { isoTime } from "../../support/iso-time.ts"
import type { Done } from "../kernel/idempotency.ts"
import type { Kernel } from "../kernel/kernel.ts"
import { changeLive, type LastChange, type Operator } from "./change-live.ts"
import { liveSettingsOf } from "./live-settings.ts"
import { openQueuesOf } from "./open-queues.ts"

export interface WeightsView extends Weights, LastChange {
  /** Sent back with a change, so that it replaces no other than these. */
  readonly version: string
  readonly source: "database" | "config"
}

/** Reads the database again: a row that was written by hand has not been announced to this process. */
export async function getWeights(kernel: Kernel): Promise<WeightsView> {
  const { version: before } = liveSettingsOf(kernel)
  await liveSettingsOf(kernel).refresh()
  // The pulse will find nothing new, so what else has changed with the weights is announced here.
  if (liveSettingsOf(kernel).version !== before) openQueuesOf(kernel).changed()
  const { critical, high, normal } = liveSettingsOf(kernel).weights
  const { weightsSource: source } = liveSettingsOf(kernel)
  const version = weightsVersion(source === "config" ? undefined : { critical, high, normal })
  const change = await findWeightsChange(kernel.db)
  const who = change && { changedAt: isoTime(change.at), changedBy: change.actor }
  return { critical, high, normal, source, version, ...who }
}

type Given = Readonly<Record<string, unknown>>

/** With the version of those that the operator has seen, they replace no others. */
export async function setWeights(kernel: Kernel, operator: Operator, given: Given): Promise<Done<WeightsView>> {
  const version = given.version as string | null | undefined
  const { critical, high, normal } = checked(given)
  const weights = { critical, high, normal }
  try {
    return await changeLive(kernel, operator, async (tx) => {
      await write(tx, weights, { actor: operator.actor, version })
      return {
        view: { ...weights, source: "database" as const, version: weightsVersion(weights) },
        change: { kind: "weights", name: "queues", detail: weights },
      }
    })
  } catch (error) {
    if (error instanceof ChangedMeanwhile) throw await changedMeanwhile(kernel)
    throw error
  }
}

/** Ends the transaction: what the weights are now is read after it. */
class ChangedMeanwhile extends Error {}

interface Writing {
  readonly actor: string
  readonly version: string | null | undefined
}

async function write(tx: Transaction, value: Weights, { actor, version }: Writing): Promise<void> {
  if (isAbsent(version)) return setLive(tx, "weights", value, actor)
  const seen = weightsOfVersion(version) ?? undefined
  if (!(await replaceLive(tx, { name: "weights", value, seen, actor }))) throw new ChangedMeanwhile()
}

/** Says what the weights are now, and who made them so: the caller decides again. */
async function changedMeanwhile(kernel: Kernel): Promise<EngineError> {
  const now = await getWeights(kernel)
  const by = now.changedBy === undefined ? "" : ` by ${now.changedBy}`
  const details = PRIORITIES.map((priority) => ({ path: `$.${priority}`, message: `is ${now[priority]} now` }))
  const text = `the weights were changed meanwhile${by}: critical ${now.critical}, high ${now.high}, normal ${now.normal}`
  return new EngineError("conflict", `${text}; read them again and decide anew`, { details })
}

function checked(given: Readonly<Record<string, unknown>>): Weights {
  const violations = faultsOfWeights(given).map(({ priority, message }) => ({
    path: priority === undefined ? "$" : `$.${priority}`,
    message,
    hint: "such as 60, 30 and 10; 0 is served only when the others have nothing",
  }))
  if (!isVersion(given.version))
    violations.push({
      path: "$.version",
      message: "is no version of weights",
      hint: "send it as it was read, or leave it out",
    })
  const [first] = violations
  if (first) throw unprocessable(`${first.path} ${first.message}`, violations)
  return given as Weights
}

const isAbsent = (version: unknown): version is undefined | null | "" =>
  version === undefined || version === null || version === ""

const isVersion = (version: unknown): boolean =>
  isAbsent(version) || (typeof version === "string" && weightsOfVersion(version) !== null)

export const resetWeights = (kernel: Kernel, operator: Operator) =>
  changeLive(kernel, operator, (tx) => {
    deleteLive(tx, "weights")
    return {
      view: { reset: true, source: "config" } as const,
      change: { kind: "weights", name: "queues", detail: { reset: true } },
    }
  })
