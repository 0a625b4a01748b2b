// Dead letters in words: why they were given up, which ones a filter is about, and what replay and discard mean.
import type { DeadLetter } from "../../api/dead-letters.ts"
import type { DeadLetterFilter } from "../../api/filters/dead-letter-filter.ts"
import { rangeWords } from "../../api/filters/time-range.ts"
import { firstLine } from "../../kit/cut-text.tsx"
import type { InstanceNames } from "../../kit/names/instance-names.ts"
import { momentText } from "../../kit/time.tsx"

export const REASONS: Readonly<Record<DeadLetter["reason"], string>> = {
  exhausted: "retries used up",
  "not-retryable": "not retryable",
  "worker-lost": "workers lost",
}

/** The names of the instance that the dead letter is about. */
export const namesOfLetter = ({ key, business_key, linking_id }: DeadLetter): InstanceNames => ({
  key,
  businessKey: business_key,
  linkingId: linking_id,
})

/** `error` is an example of the one that is named by its fingerprint, where one is at hand. */
export function filterWords(filter: DeadLetterFilter, error?: string): readonly string[] {
  const lines = [
    filter.error && (error ? `Error like: ${firstLine(error)}` : `Error with fingerprint ${filter.error}`),
    filter.type && `Job type: ${filter.type}`,
    filter.priority && `Priority: ${filter.priority}`,
    filter.definition_id && `Definition: ${filter.definition_id}`,
    filter.died && `Died: ${rangeWords(filter.died)}`,
    filter.since && `Dead since ${momentText(filter.since)}`,
    filter.before && `Dead before ${momentText(filter.before)}`,
  ].filter((line) => line !== undefined && line !== "") as string[]
  return lines.length > 0 ? lines : ["All dead letters: no filter is set"]
}

export const MEANINGS = {
  replay:
    "A standalone job goes back to its queue as a new job with its full budget of retries, and remembers this one as its ancestor. " +
    "A step is retried in its instance, which goes on from there. The dead letters are gone then.",
  discard: "They are given up for good: what they were about stays failed. Who discarded them is kept.",
} as const
