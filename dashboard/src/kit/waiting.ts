// Why an instance or a job is not moving, in the words that every door of the engine has for it.
import type { wire } from "@millrace/sdk"
import type { Waiting } from "../../../engine/src/model/observability/waiting.ts"
import {
  isKnownKind,
  STANDING,
  type WaitingWords,
  waitingWords,
} from "../../../engine/src/model/observability/waiting-words.ts"
import type { Tone } from "./status.tsx"
import { timeOfDay } from "./time.tsx"

/**
 * Times as the reader's clock has them, and how far away they are now; other steps by the names they have here. The id of a child is
 * left out: the page has a link to it.
 */
export function wordsOf(reason: wire.WaitingReason, now: number, nameOf?: (stepId: string) => string): WaitingWords {
  const { kind, detail } = reason
  if (!isKnownKind(kind)) return { headline: String(detail.message ?? kind) }
  const told = { ...reason, detail: { ...detail, childId: undefined } } as Waiting
  return waitingWords(told, { now, at: (time) => timeOfDay(time, now), nameOf })
}

interface Standing {
  readonly word: string
  readonly tone: Tone
}

const CALM: ReadonlySet<string> = new Set(["sleep", "scheduled", "timer"])

/** In a word or two. */
export function standingOfKind(kind: string): Standing {
  const word = isKnownKind(kind) ? STANDING[kind] : kind
  return {
    word,
    tone:
      kind === "job-leased" || kind === "job-dispatched"
        ? "info"
        : CALM.has(kind)
          ? "calm"
          : kind === "set-aside"
            ? "bad"
            : "warn",
  }
}

/** The step that a reason is about: within a run, the call or element that it has come to. */
export const stepOf = ({ stepId, detail: { step } }: wire.WaitingReason): string | undefined =>
  typeof step === "string" ? step : stepId
