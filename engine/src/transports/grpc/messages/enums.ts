// The words of the wire and the numbers of their enums.
import { BoundaryEventType, InstanceStatus, ReportOutcome, StepExecutionStatus, StepType } from "@millrace/sdk/proto"

interface Words {
  /** 0, which is UNSPECIFIED, for a word that this version of the contract does not have. */
  readonly numberOf: (word: string) => never
  /** Undefined for UNSPECIFIED; the digits themselves for a number that nothing is known of, which a route then refuses. */
  readonly wordOf: (number: number) => string | undefined
}

function wordsOf(
  enumeration: Readonly<Record<string, unknown>>,
  prefix: string,
  shape = (word: string) => word,
): Words {
  const numbers = new Map<string, number>()
  const words = new Map<number, string>()
  for (const [name, number] of Object.entries(enumeration)) {
    if (!name.startsWith(prefix) || typeof number !== "number" || number === 0) continue
    const word = shape(name.slice(prefix.length))
    numbers.set(word, number)
    words.set(number, word)
  }
  return {
    numberOf: (word) => (numbers.get(word) ?? 0) as never,
    wordOf: (number) => (number === 0 ? undefined : (words.get(number) ?? String(number))),
  }
}

export const stepTypes = wordsOf(StepType, "STEP_TYPE_")
export const instanceStatuses = wordsOf(InstanceStatus, "INSTANCE_STATUS_")
export const stepStatuses = wordsOf(StepExecutionStatus, "STEP_EXECUTION_STATUS_")
export const boundaryEventTypes = wordsOf(BoundaryEventType, "BOUNDARY_EVENT_TYPE_")
export const reportOutcomes = wordsOf(ReportOutcome, "REPORT_OUTCOME_", (word) => word.toLowerCase())
