// A filter in words: what a bulk operation is about, and what a saved filter is suggested to be called.
import type { InstanceFilter } from "../../api/instances.ts"
import { fullTime } from "../../kit/time.tsx"

export function filterWords(filter: InstanceFilter): readonly string[] {
  const { definitionId, version, status, businessKey, startedAfter, startedBefore, failure } = filter
  return [
    status && `Status: ${status.toLowerCase()}`,
    definitionId && `Definition: ${definitionId}`,
    version && `Version: ${version}`,
    businessKey && `Business key: ${businessKey}`,
    startedAfter && `Started after ${momentText(startedAfter)}`,
    startedBefore && `Started before ${momentText(startedBefore)}`,
    failure && `Failure with fingerprint ${failure}`,
  ].filter((line) => line !== undefined && line !== "") as string[]
}

/** An address can hold anything. */
const momentText = (moment: string): string => (Number.isNaN(Date.parse(moment)) ? moment : fullTime(moment))
