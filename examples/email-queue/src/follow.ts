// Looks at jobs until the last of them has ended, and tells of each when it has.
import { setTimeout as sleep } from "node:timers/promises"
import type { Mill } from "millrace"

export type Ended = Awaited<ReturnType<Mill["job"]>>

const isOver = ({ status }: Ended): boolean => status !== "PENDING" && status !== "RUNNING"

export async function follow(
  mill: Mill,
  ids: readonly string[],
  tell: (job: Ended) => void,
): Promise<readonly Ended[]> {
  const ended = new Map<string, Ended>()
  while (ended.size < ids.length) {
    const jobs = await Promise.all(ids.filter((id) => !ended.has(id)).map((id) => mill.job(id)))
    const over = jobs.filter(isOver).sort((a, b) => a.updatedAt.localeCompare(b.updatedAt))
    for (const job of over) {
      ended.set(job.id, job)
      tell(job)
    }
    await sleep(20)
  }
  return [...ended.values()]
}
