// `millrace doctor` on a large and healthy database: live and finished instances, jobs, history, audit, dead letters.
import { round } from "../measure/statistics.mjs"
import { now } from "../measure/wait.mjs"

export const sizes = { full: { rows: 10_000_000 }, quick: { rows: 20_000 } }
export const show = ({ seconds, rows }) => `${seconds} s for ${rows} rows`

export async function run({ open, size }) {
  const target = await open({ kind: "doctor" })
  const rows = await target.fill(size.rows)
  const startedAt = now()
  const { code, text } = await target.doctor()
  const seconds = round((now() - startedAt) / 1000)
  if (code !== 0) throw new Error(`the doctor ended with ${code}: ${text}`)
  return { rows, seconds }
}
