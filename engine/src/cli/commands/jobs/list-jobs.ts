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
/** `ENDED` is however it has ended. */
type Ended = (typeof ENDED)[number] | "ENDED"

const status = statusOf("LEASED", "READY", "DELAYED", "HELD", "ENDED", ...ENDED)

interface ListOptions extends ShowOptions, LimitOption {
  readonly status?: Uppercase<Live> | Ended
  readonly type?: string
  readonly priority?: wire.Priority
  readonly keyPrefix?: string
}

export function addJobList(group: Command, around: Surroundings): void {
  withLimit(withShow(listCommand(group, "Jobs that have not ended, of steps too; with --status those that have.")))
    .option("--status <status>", status.choices.join(", "), status)
    .option("--type <type>", "of this job type")
    .option("--priority <priority>", "of this priority", priority)
    .option("--key, --key-prefix <text>", "standalone ones whose key begins so, live and ended")
    .action((options: ListOptions) => {
      const engine = new RemoteEngine(around.env)
      const read = () => readJobs(engine, options)
      if (options.json) return show(around, options, { read, draw: drawJobs })
      return show(around, options, { read: () => withPauses(engine, read), draw: drawJobs })
    })
}

/** What is paused says why a job that is ready is not handed out. */
async function withPauses(engine: RemoteEngine, read: () => Promise<JobRows>) {
  const rows = await read()
  if (!rows.items.some((row) => row.status === "ready")) return rows
  const pauses = await engine.callIfAllowed("listPauses")
  return { ...rows, ...given({ pauses: pauses?.items }) }
}

interface JobPage {
  readonly items: JobRows["items"]
  readonly nextCursor?: string
}

type ReadMost = (most: number) => Promise<JobPage>

/** Without a status what has not ended; with a key what has, too: a key is looked for to find its job. */
async function readJobs(engine: RemoteEngine, options: ListOptions): Promise<JobRows> {
  const { limit, status, type: jobType, priority, keyPrefix } = options
  const filter = given({ jobType, priority, keyPrefix })
  const ended = isEnded(status) ? status : undefined
  const readLive = LIVE.filter((live) => status === undefined || live.toUpperCase() === status).map(
    (status): ReadMost =>
      (most) =>
        readUpTo(most, (page) => engine.call("listJobs", { query: { ...filter, ...page, status } })),
  )
  const readEnded: ReadMost = (most) => {
    const query = { ...filter, ...given({ status: ended === "ENDED" ? undefined : ended }) }
    return readUpTo(most, (page) => engine.call("listEndedJobs", { query: { ...query, ...page } }))
  }
  const showsEnded = ended !== undefined || (status === undefined && keyPrefix !== undefined)
  return readInTurn([...readLive, ...(showsEnded ? [readEnded] : [])], limit)
}

const isEnded = (wanted: ListOptions["status"]): wanted is Ended =>
  wanted === "ENDED" || ENDED.some((ended) => ended === wanted)

/** The engine lists one status at a time: the next one fills what the one before has left. */
async function readInTurn(reads: readonly ReadMost[], limit: number): Promise<JobRows> {
  let items: JobRows["items"] = []
  let more = false
  for (const read of reads) {
    if (items.length === limit) return { items, more: true }
    const page = await read(limit - items.length)
    items = [...items, ...page.items]
    more ||= page.nextCursor !== undefined
  }
  return { items, more }
}
