// What is paused: nothing of it is handed out until it is resumed.
import type { wire } from "@millrace/sdk"
import { get, post, remove } from "./http.ts"

export type PauseKind = wire.PauseKind
export const PAUSE_KINDS = ["queue", "jobType", "definition", "downstream"] as const satisfies readonly PauseKind[]
export type Pause = wire.Pause
export type PauseTarget = Pick<Pause, "kind" | "name">

export const pausesQuery = {
  queryKey: ["queues", "pauses"],
  queryFn: async () => (await get<"listPauses">("/v1/pauses")).items,
}

/** Answers with the pause that stands: the first one where two people pause the same thing. */
export const pause = (target: PauseTarget, reason: string) =>
  post<"pause">("/v1/pauses", { ...target, ...(reason === "" ? {} : { reason }) })

export const resume = ({ kind, name }: PauseTarget) =>
  remove<"resume">(`/v1/pauses/${kind}/${encodeURIComponent(name)}`)
