// `millrace jobs`: list them; enqueue, show, cancel and run again single ones.
import type { wire } from "@millrace/sdk"
import type { Command } from "commander"
import { CommandError } from "../../command-error.ts"
import { cellText } from "../../drawing/cell-text.ts"
import { drawJob, type ShownJob } from "../../drawing/job-picture.ts"
import { strangeJobType } from "../../known-names.ts"
import { oneOf, priority } from "../../options/choices.ts"
import { isoDuration } from "../../options/durations.ts"
import { JSON_HINT, jsonArgument } from "../../options/json-argument.ts"
import { positiveWhole, wholeNumber } from "../../options/numbers.ts"
import { given, type Keyed, keyAnd } from "../../options/values.ts"
import { RemoteEngine } from "../../remote-engine.ts"
import { type ShowOptions, say, show, withJson, withShow } from "../../terminal/show.ts"
import type { Surroundings } from "../../terminal/surroundings.ts"
import { examples } from "../group.ts"
import { onJob } from "./find-job.ts"
import { addJobList } from "./list-jobs.ts"

export function addJobCommands(group: Command, around: Surroundings): void {
  addJobList(group, around)
  addEnqueue(group, around)
  withShow(
    group.command("show <id|key>").description("A job: where it stands, why it waits, its payload, result or error."),
  ).action((id: string, options: ShowOptions) => {
    const engine = new RemoteEngine(around.env)
    const read = () => onJob(engine, id, (found) => readJob(engine, found, options))
    return show(around, options, { read, draw: drawJob })
  })
  withJson(group.command("cancel <id|key>").description("Cancel a job that has not ended; what runs is told to stop."))
    .option("--reason <text>", "why")
    .action(async (id: string, { reason, ...options }: ShowOptions & { reason?: string }) => {
      const body = given({ reason })
      const engine = new RemoteEngine(around.env)
      const job = await onJob(engine, id, (jobId) => engine.call("cancelJob", { path: { jobId }, body }))
      say(around, options, job, ({ status }) => [`Job ${cellText(id)} is ${cellText(status)}.`])
    })
  addRerun(group, around)
  examples(
    group,
    `  millrace jobs                                  what waits or is worked on
  millrace jobs --status failed --type send_email
  millrace jobs --key import-2026-              those whose key begins so
  millrace jobs enqueue send_email '{"to":"ada@example.test"}' --priority high
  millrace jobs enqueue report '{}' --delay 10m --key report-2026-11
  cat payload.json | millrace jobs enqueue report -
  millrace jobs show 01JN8Z3V5E8Q2R7W4Y6T9A1B3C --watch
  millrace jobs cancel 01JN8Z3V5E8Q2R7W4Y6T9A1B3C --reason "wrong address"
  millrace jobs rerun 01JN8Z3V5E8Q2R7W4Y6T9A1B3C`,
  )
}

function addRerun(group: Command, around: Surroundings): void {
  withJson(group.command("rerun <id|key>").description("Enqueue a job that has ended once more, as a new job.")).action(
    async (id: string, options: ShowOptions) => {
      const engine = new RemoteEngine(around.env)
      const made = await onJob(engine, id, (jobId) => engine.call("rerunJob", { path: { jobId } }))
      say(around, options, made, (one) => [`Enqueued ${cellText(one.jobId)}, which is ${cellText(id)} once more.`])
    },
  )
}

const OPEN: ReadonlySet<wire.StandaloneStatus> = new Set(["PENDING", "RUNNING"])

async function readJob(engine: RemoteEngine, jobId: string, { json }: ShowOptions): Promise<ShownJob> {
  const job = await engine.call("getJob", { path: { jobId } })
  if (job.status === "FAILED" && !json) return { ...job, deadLetter: await letterOf(engine, job.id) }
  if (!OPEN.has(job.status)) return job
  const { reasons } = await engine.call("explainJobWaiting", { path: { jobId } })
  return { ...job, waiting: reasons }
}

/** The command that shows it. Of a letter that is gone what became of it: who does not see the replay runs the job once more. */
async function letterOf(engine: RemoteEngine, jobId: string): Promise<string> {
  try {
    await engine.call("getDeadLetter", { path: { deadLetterId: jobId } })
    return `millrace dead-letters show ${jobId}`
  } catch (error) {
    if (error instanceof CommandError && error.refusal === "not-found") return error.message
    throw error
  }
}

interface EnqueueOptions {
  readonly priority?: wire.Priority
  readonly key?: string
  readonly delay?: string
  readonly timeout?: string
  readonly retries?: number
  readonly retry?: (typeof RETRY)[number]
  readonly unique?: Keyed<string>
  readonly limit?: Keyed<number>
  readonly fairKey?: string
  readonly downstream?: string
}

const RETRY = ["jittered", "minutes", "immediate"] as const

const windowOf = (duration: string): string => isoDuration("--unique", duration)

function addEnqueue(group: Command, around: Surroundings): void {
  withJson(group.command("enqueue <type> [payload]").description(`Enqueue a job. The payload is ${JSON_HINT}.`))
    .option("--priority <priority>", "critical, high or normal (default: normal)", priority)
    .option("--key <key>", "once per key and type: a repeat gives back the job that is there")
    .option("--delay <duration>", "not before that time has passed, such as 10m")
    .option("--timeout <duration>", "how long one attempt may run")
    .option("--retries <n>", "how often it is tried again", wholeNumber)
    .option("--retry <policy>", "jittered, minutes or immediate (default: jittered)", oneOf(...RETRY))
    .option(
      "--unique <key:duration>",
      "one job of this type and key within that time; another is refused",
      keyAnd(windowOf),
    )
    .option("--limit <key:max>", "at most this many jobs of this key at a time", keyAnd(positiveWhole))
    .option("--fair-key <key>", "jobs of different keys take turns")
    .option("--downstream <name>", "the system it calls")
    .action(async (type: string, payload: string | undefined, { json, ...options }: EnqueueOptions & ShowOptions) => {
      const body = { type, payload: await jsonArgument(around, payload, "the payload"), ...fieldsOf(options) }
      let isRepeat = false
      const onRepeat = () => {
        isRepeat = true
      }
      const engine = new RemoteEngine(around.env)
      const job = await engine.call("enqueueJob", { body }, { onRepeat })
      const strange = json || isRepeat ? [] : await strangeJobType(engine, job.type)
      say(around, { json: json === true }, job, (one) => [isRepeat ? repeated(one) : enqueued(one), ...strange])
    })
}

const enqueued = ({ id, priority }: wire.StandaloneJob): string =>
  `Enqueued ${cellText(id)} with priority ${cellText(priority)}.`

const repeated = ({ id, status }: wire.StandaloneJob): string =>
  `Already there: ${cellText(id)}, which is ${cellText(status)}; nothing was enqueued.`

const fieldsOf = ({ delay, timeout, fairKey, unique, limit, ...same }: EnqueueOptions) =>
  given({
    ...same,
    delay: delay === undefined ? undefined : isoDuration("--delay", delay),
    timeout: timeout === undefined ? undefined : isoDuration("--timeout", timeout),
    unique: unique && { key: unique.key, for: unique.value },
    limit: limit && { key: limit.key, max: limit.value },
    fair_key: fairKey,
  })
