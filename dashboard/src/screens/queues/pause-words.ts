// What the kinds of pauses are called, and what each keeps from being handed out.
import type { Pause, PauseKind, PauseTarget } from "../../api/pauses.ts"

export const KIND_WORDS: Readonly<Record<PauseKind, string>> = {
  queue: "priority",
  jobType: "job type",
  definition: "definition",
  downstream: "downstream",
}

export const nameOf = ({ kind, name }: PauseTarget): string => `${KIND_WORDS[kind]} ${name}`

const HELD: Readonly<Record<PauseKind, string>> = {
  queue: "All jobs of this priority, of workflows too,",
  jobType: "All jobs of this type",
  definition: "The jobs of all instances of this definition",
  downstream: "All jobs that call this downstream",
}

export const effectOf = ({ kind }: PauseTarget): string =>
  `${HELD[kind]} stay where they are until it is resumed. What workers have already is finished, and new jobs are still taken in.`

export const pauseFor = (pauses: readonly Pause[] | undefined, kind: PauseKind, name: string): Pause | undefined =>
  pauses?.find((pause) => pause.kind === kind && pause.name === name)
