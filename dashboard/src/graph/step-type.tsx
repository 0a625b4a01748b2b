// What kinds of steps there are: their words, and a small drawing for each.
import type { ReactNode } from "react"
import type { Step } from "../api/definitions.ts"
import { durationWords } from "./duration-words.ts"

const WORDS: Readonly<Record<string, string>> = {
  SERVICE_TASK: "service task",
  USER_TASK: "user task",
  WAIT: "waits for a signal",
  DECISION: "decision",
  TRANSFORMATION: "transformation",
  PARALLEL_GATEWAY: "parallel branches",
  JOIN_GATEWAY: "join of branches",
  END: "end",
}

export const typeWords = (type: string): string => WORDS[type] ?? type.toLowerCase().replaceAll("_", " ")

/** Of one step: a wait with a duration goes on by itself. */
export const kindWords = ({ type, duration }: Pick<Step, "type" | "duration">): string =>
  type === "WAIT" && duration !== undefined ? `waits ${durationWords(duration)}` : typeWords(type)

/** On a square of 16. */
const DRAWINGS: Readonly<Record<string, ReactNode>> = {
  SERVICE_TASK: (
    <>
      <circle cx="8" cy="8" r="2.4" />
      <path d="M8 1.8v2M8 12.2v2M1.8 8h2M12.2 8h2M3.6 3.6 5 5M11 11l1.4 1.4M12.4 3.6 11 5M5 11l-1.4 1.4" />
    </>
  ),
  USER_TASK: (
    <>
      <circle cx="8" cy="5" r="2.7" />
      <path d="M2.8 14c.5-3 2.5-4.4 5.2-4.4s4.7 1.4 5.2 4.4" />
    </>
  ),
  WAIT: (
    <>
      <circle cx="8" cy="8" r="6" />
      <path d="M8 4.6V8l2.4 1.6" />
    </>
  ),
  DECISION: <path d="M8 1.8 14.2 8 8 14.2 1.8 8Z" />,
  TRANSFORMATION: <path d="M2 5.2h10.4M9.8 2.6l2.6 2.6-2.6 2.6M14 10.8H3.6M6.2 8.2l-2.6 2.6 2.6 2.6" />,
  PARALLEL_GATEWAY: <path d="M8 1.8v3.4M8 5.2C8 8 3.4 7.6 3.4 11v3.2M8 5.2C8 8 12.6 7.6 12.6 11v3.2" />,
  JOIN_GATEWAY: <path d="M8 14.2v-3.4M8 10.8C8 8 3.4 8.4 3.4 5V1.8M8 10.8C8 8 12.6 8.4 12.6 5V1.8" />,
  END: <rect x="3.4" y="3.4" width="9.2" height="9.2" rx="1.5" fill="currentColor" />,
}

export function StepIcon({ type, className = "" }: { readonly type: string; readonly className?: string }) {
  return (
    <svg
      viewBox="0 0 16 16"
      aria-hidden="true"
      className={`size-4 shrink-0 ${className}`}
      fill="none"
      stroke="currentColor"
      strokeWidth="1.5"
      strokeLinecap="round"
      strokeLinejoin="round"
    >
      {DRAWINGS[type] ?? <circle cx="8" cy="8" r="5" />}
    </svg>
  )
}
