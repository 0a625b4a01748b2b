// The weights of the priorities: what they are, another choice at run time, and back to the configuration.

import { faultsOfWeights, type Weights } from "../../model/flow/weights.ts"
import { deleteLive, findWeightsChange, setLive } from "../../store/flow/live-settings.ts"
import { unprocessable } from "../../support/errors.ts"
import { isoTime } from "../../support/iso-time.ts"
import type { Done } from "../kernel/idempotency.ts"
import type { Kernel } from "../kernel/kernel.ts"
import { changeLive, type LastChange, type Operator } from "./change-live.ts"
import { dispatchOf } from "./dispatch.ts"
import { liveSettingsOf } from "./live-settings.ts"

export interface WeightsView extends Weights, LastChange {
  readonly source: "database" | "config"
}

/** Reads the database again: a row that was written by hand has not been announced to this process. */
export async function getWeights(kernel: Kernel): Promise<WeightsView> {
  const { version } = liveSettingsOf(kernel)
  await liveSettingsOf(kernel).refresh()
  // The pulse will find nothing new: what else has changed with it is told here.
  if (liveSettingsOf(kernel).version !== version) dispatchOf(kernel).changed()
  const { critical, high, normal } = liveSettingsOf(kernel).weights
  const change = await findWeightsChange(kernel.db)
  const who = change && { changedAt: isoTime(change.at), changedBy: change.actor }
  return { critical, high, normal, source: liveSettingsOf(kernel).weightsSource, ...who }
}

export function setWeights(
  kernel: Kernel,
  operator: Operator,
  given: Readonly<Record<string, unknown>>,
): Promise<Done<WeightsView>> {
  const { critical, high, normal } = checked(given)
  return changeLive(kernel, operator, (tx) => {
    setLive(tx, "weights", { critical, high, normal }, operator.actor)
    return {
      view: { critical, high, normal, source: "database" },
      change: { kind: "weights", name: "queues", detail: { critical, high, normal } },
    }
  })
}

function checked(given: Readonly<Record<string, unknown>>): Weights {
  const violations = faultsOfWeights(given).map(({ priority, message }) => ({
    path: priority === undefined ? "$" : `$.${priority}`,
    message,
    hint: "such as 60, 30 and 10; 0 is served only when the others have nothing",
  }))
  const [first] = violations
  if (first) throw unprocessable(`${first.path} ${first.message}`, violations)
  return given as Weights
}

export const resetWeights = (kernel: Kernel, operator: Operator) =>
  changeLive(kernel, operator, (tx) => {
    deleteLive(tx, "weights")
    return {
      view: { reset: true, source: "config" } as const,
      change: { kind: "weights", name: "queues", detail: { reset: true } },
    }
  })
