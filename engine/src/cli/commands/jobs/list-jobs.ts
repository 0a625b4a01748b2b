// `millrace jobs list`: jobs that have not ended, of steps too, or standalone ones that have.
import type { wire } from "@millrace/sdk"
import type { Command } from "commander"
import { drawJobs, type JobRows } from "../../drawing/jobs-picture.ts"
import { priority, statusOf } from "../../options/choices.ts"
import { type LimitOption, readUpTo, withLimit } from "../../options/paging.ts"
import { given } from "../../options/values.ts"
import { RemoteEngine } from "../../remote-engine.ts"
import { type ShowOptions, show, withShow } from "../../terminal/show.ts"
import type { Surroundings } from "../../terminal/surroundings.ts"
import { listCommand } from "../group.ts"

/** What is being worked on comes first, then what comes next. */
const LIVE = ["leased", "ready", "delayed", "held"] as const
const ENDED = ["COMPLETED", "FAILED", "CANCELLED"] as const

type Live = (typeof LIVE)[number]
type Ended = (typeof ENDED)[number]

const status = statusOf("LEASED", "READY", "DELAYED", "HELD", ...ENDED)

interface ListOptions extends ShowOptions, LimitOption {
  readonly status?: Uppercase<Live> | Ended
  readonly type?: string
  readonly priority?: wire.Priority
}

export function addJobList(group: Command, around: Surroundings): void {
  withLimit(withShow(listCommand(group, "Jobs that have not ended, of steps too; with --status those that have.")))
    .option("--status <status>", status.choices.join("|"), status)
    .option("--type <type>", "of this job type")
    .option("--priority <priority>", "of this priority", priority)
    .action((options: ListOptions) => {
      const engine = new RemoteEngine(around.env)
      return show(around, options, { read: () => readJobs(engine, options), draw: drawJobs })
    })
}

async function readJobs(engine: RemoteEngine, options: ListOptions): Promise<JobRows> {
  const { limit, status: wanted, type: jobType, priority } = options
  const filter = given({ jobType, priority })
  if (isEnded(wanted)) {
    const query = { ...filter, status: wanted }
    return rowsOf(await readUpTo(limit, (page) => engine.call("listEndedJobs", { query: { ...query, ...page } })))
  }
  const statuses = LIVE.filter((live) => wanted === undefined || live.toUpperCase() === wanted)
  return readInTurn(statuses, limit, (status, most) =>
    readUpTo(most, (page) => engine.call("listJobs", { query: { ...filter, ...page, status } })),
  )
}

const isEnded = (wanted: ListOptions["status"]): wanted is Ended => ENDED.some((ended) => ended === wanted)

interface JobPage {
  readonly items: JobRows["items"]
  readonly nextCursor?: string
}

const rowsOf = ({ items, nextCursor }: JobPage): JobRows => ({ items, more: nextCursor !== undefined })

/** The engine lists one status at a time: the next one fills what the one before has left. */
async function readInTurn(
  statuses: readonly Live[],
  limit: number,
  read: (status: Live, most: number) => Promise<JobPage>,
): Promise<JobRows> {
  let items: JobRows["items"] = []
  let more = false
  for (const status of statuses) {
    if (items.length === limit) return { items, more: true }
    const page = rowsOf(await read(status, limit - items.length))
    items = [...items, ...page.items]
    more ||= page.more
  }
  return { items, more }
}
