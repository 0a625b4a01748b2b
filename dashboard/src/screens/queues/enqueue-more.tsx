// What few jobs need when they are enqueued: retries, a key, a timeout and a downstream. Left empty, the job type decides.
import { isRoutingName, ROUTING_NAME_HINT } from "../../../../engine/src/model/jobs/routing-name.ts"
import type { NewJob } from "../../api/jobs.ts"
import { TextField } from "../../kit/fields/fields.tsx"
import { DurationField, isoDuration, NO_DURATION, type TypedDuration } from "./duration-field.tsx"

/** The fields as they are typed. */
export interface MoreOfJob {
  readonly retries: string
  readonly key: string
  readonly timeout: TypedDuration
  readonly downstream: string
}

export const NO_MORE: MoreOfJob = { retries: "", key: "", timeout: NO_DURATION, downstream: "" }

const MOST_RETRIES = 10_000

function faultsOf({ retries, downstream }: MoreOfJob): { readonly retries?: string; readonly downstream?: string } {
  const isCount = /^\d*$/.test(retries.trim()) && Number(retries) <= MOST_RETRIES
  const isName = downstream.trim() === "" || isRoutingName(downstream.trim())
  return {
    ...(isCount ? {} : { retries: "A whole number from 0 to 10,000" }),
    ...(isName ? {} : { downstream: ROUTING_NAME_HINT }),
  }
}

/** Undefined where something cannot be taken. */
export function fieldsOf(more: MoreOfJob): Pick<NewJob, "retries" | "key" | "timeout" | "downstream"> | undefined {
  if (Object.keys(faultsOf(more)).length > 0) return undefined
  const [retries, key, downstream] = [more.retries.trim(), more.key.trim(), more.downstream.trim()]
  const timeout = isoDuration(more.timeout)
  return {
    ...(retries === "" ? {} : { retries: Number(retries) }),
    ...(key === "" ? {} : { key }),
    ...(timeout === undefined ? {} : { timeout }),
    ...(downstream === "" ? {} : { downstream }),
  }
}

interface Props {
  readonly value: MoreOfJob
  readonly onChange: (value: MoreOfJob) => void
}

export function EnqueueMore({ value, onChange }: Props) {
  const set = (name: "retries" | "key" | "downstream") => (event: { readonly target: { readonly value: string } }) =>
    onChange({ ...value, [name]: event.target.value })
  const faults = faultsOf(value)
  return (
    <details>
      <summary className="text-muted font-medium">More</summary>
      <div className="mt-3 grid items-start gap-4 sm:grid-cols-2">
        <TextField
          label="Retries"
          inputMode="numeric"
          hint="Empty: as many as its type has."
          error={faults.retries}
          value={value.retries}
          onChange={set("retries")}
        />
        <DurationField
          label="Timeout"
          hint="Of one attempt. Empty: that of its type."
          value={value.timeout}
          onChange={(timeout) => onChange({ ...value, timeout })}
        />
        <TextField
          label="Key"
          autoComplete="off"
          maxLength={200}
          hint="There is one job for a type and key."
          value={value.key}
          onChange={set("key")}
        />
        <TextField
          label="Downstream"
          autoComplete="off"
          hint="The system it calls, whose limits it keeps to."
          error={faults.downstream}
          value={value.downstream}
          onChange={set("downstream")}
        />
      </div>
    </details>
  )
}
