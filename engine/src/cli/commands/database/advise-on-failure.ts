// What to do about a check of the doctor's that the database did not answer, told by the kind of its error.
import { hasSqlState, isAway, isContention } from "../../../db/errors.ts"
import { KafkaError } from "../../../transports/kafka/kafka-error.ts"

const MORE_TIME =
  "give it more time: append `?options=-c%20statement_timeout%3D0` to WE_POSTGRES_DSN for this command, or raise the role's statement_timeout"
const LATER = "run the doctor again when less goes on"

const BY_STATE: Readonly<Record<string, string>> = {
  "42P01": "see missingObjects; `millrace migrate` brings a schema of an older version up to date",
  "42703": "`millrace migrate` brings a schema of an older version up to date",
  "42883": "see missingObjects; `millrace migrate` brings a schema of an older version up to date",
  "42501": "grant the role of WE_POSTGRES_DSN the right to read it, or use the engine's own role",
  "53100": "make room on the database's disk, where it sorts what it reads",
  "53200": "lower the database's work_mem, or give it more memory",
  "53400": "raise temp_file_limit for this role: the check sorts and joins whole tables",
}

export function adviseOnFailure(failure: unknown): string {
  if (failure instanceof KafkaError) return "mend what it says of Kafka; `millrace kafka check` asks it alone"
  if (hasSqlState(failure, "57014")) return `${MORE_TIME}; or ${LATER}`
  if (/Query read timeout/.test(String((failure as Error).message))) return `${LATER}: ten minutes were not enough`
  if (isContention(failure)) return `another transaction held what it reads: ${LATER}`
  const state = Object.keys(BY_STATE).find((code) => hasSqlState(failure, code))
  if (state) return BY_STATE[state] as string
  if (isAway(failure)) return "the database stopped answering in the middle: look at its log, then run the doctor again"
  return "please report it with this line"
}
