// `millrace doctor`: asks the database whether anything is there that must never be, and says what to do about it.
import type { Database } from "../../../db/database.ts"
import type { JobBroker } from "../../../operations/jobs/dispatch/broker.ts"
import {
  ALL_KINDS,
  examineEach,
  type Finding,
  PLAIN_KINDS,
  type Unfinished,
} from "../../../operations/upkeep/doctor.ts"
import { examineDispatch } from "../../../operations/upkeep/doctor-dispatch.ts"
import { hasSchema } from "../../../store/kernel/server.ts"
import { CommandError } from "../../command-error.ts"
import { cellText } from "../../drawing/cell-text.ts"
import { adviseOnFailure } from "./advise-on-failure.ts"

const WELL = 0
const FOUND = 1
/** Nothing is known of what a check did not get to look at, so this counts more than what the others found. */
const NOT_FINISHED = 3

export interface DoctorOptions {
  /** Also what reads whole trails and histories. */
  readonly deep?: boolean
  readonly json?: boolean
  /** Where jobs are dispatched through Kafka: it is asked too. */
  readonly broker?: Promise<JobBroker> | undefined
}

/** What the process ends with. */
export async function runDoctor(
  db: Database,
  print: (text: string) => void,
  options: DoctorOptions = {},
): Promise<number> {
  await expectMillrace(db)
  const tell = options.json ? () => {} : print
  const verdicts: (Finding | Unfinished)[] = []
  for await (const verdict of examineAll(db, options)) {
    verdicts.push(verdict)
    if ("failure" in verdict) tell(describeFailure(verdict))
    else if (verdict.symptoms.length > 0) tell(describe(verdict))
  }
  const found = verdicts.filter((verdict) => "symptoms" in verdict && verdict.symptoms.length > 0).length
  const unfinished = verdicts.filter((verdict) => "failure" in verdict).length
  print(options.json ? asJson(verdicts) : sumUp({ found, unfinished, all: verdicts.length }))
  if (unfinished > 0) return NOT_FINISHED
  return found > 0 ? FOUND : WELL
}

async function* examineAll(db: Database, { deep, broker }: DoctorOptions): AsyncGenerator<Finding | Unfinished> {
  yield* examineEach({ db }, { kinds: deep ? ALL_KINDS : PLAIN_KINDS })
  if (broker) yield* examineDispatch({ db, broker })
}

/** Every check, also those that found nothing: a script sees what was asked. */
function asJson(verdicts: readonly (Finding | Unfinished)[]): string {
  const checks = verdicts.map((verdict) =>
    "failure" in verdict
      ? { ...verdict, failure: (verdict.failure as Error).message, advice: adviseOnFailure(verdict.failure) }
      : verdict,
  )
  return JSON.stringify({ checks }, null, 2)
}

/** A database that cannot be reached, or is another one, is no matter of a check. */
async function expectMillrace(db: Database): Promise<void> {
  if (await hasSchema(db)) return
  throw new CommandError(
    `there is no Millrace in the schema ${db.schema} of this database: correct WE_POSTGRES_DSN or WE_SCHEMA, or run \`millrace migrate\``,
  )
}

function sumUp({ found, unfinished, all }: { found: number; unfinished: number; all: number }): string {
  const findings = `${found} of ${all} checks found something`
  if (unfinished === 0) return found === 0 ? `All is well: ${all} checks found nothing.` : `${findings}.`
  const rest = found === 0 ? "the others found nothing" : findings
  return `${unfinished} of ${all} checks did not finish; ${rest}.`
}

function describe({ name, meaning, advice, symptoms, more }: Finding): string {
  const lines = symptoms.map(({ instanceId, detail }) => `    ${instanceId}  ${detail}`)
  return [`${name}: ${meaning}`, ...lines, ...(more ? ["    … and more"] : []), `  What to do: ${advice}.`, ""].join(
    "\n",
  )
}

function describeFailure({ name, meaning, failure }: Unfinished): string {
  const { message } = failure as Error
  const lines = [`${name}: not finished, so it is not known whether ${meaning}`, `    ${cellText(String(message))}`]
  return [...lines, `  What to do: ${adviseOnFailure(failure)}.`, ""].join("\n")
}
