// Workers as a table: who asks for work, for which, what each has in hand; and job types that no worker asks for any more.
import type { wire } from "@millrace/sdk"
import { cellText, wrap } from "./cell-text.ts"
import { type Canvas, table } from "./table.ts"
import { count, relative } from "./times.ts"

export function drawWorkers({ items, polled }: wire.WorkerList, canvas: Canvas): readonly string[] {
  const now = Date.now()
  const asked = new Set(items.flatMap(({ jobTypes }) => jobTypes))
  const left = polled.filter(({ jobType }) => !asked.has(jobType))
  const gone = left.map(({ jobType, lastPolledAt }) => `${cellText(jobType)} (${relative(lastPolledAt, now)})`)
  const tail = gone.length === 0 ? [] : ["", ...inLines(`No worker asks any more for: ${gone.join(", ")}`, canvas)]
  if (items.length === 0) return ["No worker has been seen.", ...tail]
  const rows = table<wire.WorkerInView>(
    [
      { title: "WORKER", of: ({ workerId }) => workerId, style: () => "bold", cutTo: 16 },
      { title: "ASKS", of: ({ polling }) => (polling ? "yes" : "no"), style: (row) => (row.polling ? "green" : "red") },
      { title: "JOBS", of: ({ inFlight }) => count(inFlight), align: "right" },
      { title: "OLDEST", of: ({ since }) => relative(since, now), align: "right", extra: true, ifAny: true },
      { title: "SEEN", of: ({ lastSeenAt }) => relative(lastSeenAt, now), align: "right" },
      { title: "SINCE", of: ({ firstSeenAt }) => relative(firstSeenAt, now), align: "right", extra: true },
      { title: "JOB TYPES", of: ({ jobTypes }) => jobTypes.join(", "), cutTo: 16 },
    ],
    items,
    canvas,
  )
  return [...rows, ...tail]
}

const inLines = (text: string, { width }: Canvas): readonly string[] =>
  width === undefined ? [text] : wrap(text, width)
