// `millrace doctor`: asks the database whether anything is there that must never be, and says what to do about it.
import type { Database } from "../../../db/database.ts"
import { CHECKS, examine, type Finding } from "../../../operations/upkeep/doctor.ts"

/** Whether all is well. */
export async function runDoctor(db: Database, print: (text: string) => void): Promise<boolean> {
  const findings = await examine({ db })
  for (const finding of findings) print(describe(finding))
  print(
    findings.length === 0
      ? `All is well: ${CHECKS.length} checks found nothing.`
      : `${findings.length} of ${CHECKS.length} checks found something.`,
  )
  return findings.length === 0
}

function describe({ name, meaning, advice, symptoms, more }: Finding): string {
  const lines = symptoms.map(({ instanceId, detail }) => `    ${instanceId}  ${detail}`)
  return [`${name}: ${meaning}`, ...lines, ...(more ? ["    … and more"] : []), `  What to do: ${advice}.`, ""].join(
    "\n",
  )
}
