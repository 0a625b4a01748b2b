// Looks at jobs until the last of them has ended, and tells of each when it has.
import { setTimeout as sleep } from "node:timers/promises"
import type { JobRecord, Mill } from "millrace"

export type Ended = JobRecord

const ORDER = ["critical", "high", "normal"] as const

/** Ends are kept to the millisecond: of those within one the more urgent was begun first. */
const byEnd = (a: Ended, b: Ended): number =>
  a.updatedAt.localeCompare(b.updatedAt) || ORDER.indexOf(a.priority) - ORDER.indexOf(b.priority)

const isOver = ({ status }: Ended): boolean => status !== "PENDING" && status !== "RUNNING"

export async function follow(
  mill: Mill,
  ids: readonly string[],
  tell: (job: Ended) => void,
): Promise<readonly Ended[]> {
  const told = new Map<string, Ended>()
  let seenUntil = ""
  while (told.size < ids.length) {
    const jobs = await Promise.all(ids.filter((id) => !told.has(id)).map((id) => mill.jobs.get(id)))
    const over = jobs.filter(isOver).sort(byEnd)
    const isLast = over.length === jobs.length
    // They are read one by one: what ended before a job that is over now may be seen only at the next look. What had
    // ended by the look before is complete.
    for (const job of over.filter(({ updatedAt }) => isLast || updatedAt <= seenUntil)) {
      told.set(job.id, job)
      tell(job)
    }
    seenUntil = over.at(-1)?.updatedAt ?? seenUntil
    await sleep(20)
  }
  return [...told.values()]
}
