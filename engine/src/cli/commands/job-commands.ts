// `millrace jobs`: enqueue, show and cancel single jobs.
import { text } from "node:stream/consumers"
import type { Command } from "commander"
import { formatDuration } from "../../model/kernel/durations.ts"
import { isObject } from "../../support/json.ts"
import { ApiClient } from "../api-client.ts"
import { calledWrongly } from "../command-error.ts"
import { cellText } from "../drawing/cell-text.ts"
import { drawJob, type JobAnswer, type WaitingAnswer } from "../drawing/job-picture.ts"
import { type ShowOptions, say, show, withJson, withShow } from "../drawing/show.ts"
import type { Surroundings } from "../surroundings.ts"
import { durationOption } from "./duration-option.ts"
import { examples, keyAnd, oneOf, positiveWhole, segment, wholeNumber } from "./group.ts"

interface EnqueueOptions extends ShowOptions {
  readonly priority?: string
  readonly key?: string
  readonly delay?: string
  readonly timeout?: string
  readonly retries?: number
  readonly retry?: string
  readonly unique?: { readonly key: string; readonly value: string }
  readonly limit?: { readonly key: string; readonly value: number }
  readonly fairKey?: string
  readonly downstream?: string
}

export function addJobCommands(group: Command, around: Surroundings): void {
  const api = () => new ApiClient(around.env)
  addEnqueue(group, around)
  withShow(
    group.command("show <id>").description("A job: where it stands, why it waits, its payload, result or error."),
  ).action((id: string, options: ShowOptions) => {
    const client = api()
    return show(around, options, { read: () => readJob(client, id), draw: drawJob })
  })
  withJson(group.command("cancel <id>").description("Cancel a job that has not ended; what runs is told to stop."))
    .option("--reason <text>", "why")
    .action(async (id: string, { reason, ...options }: ShowOptions & { reason?: string }) => {
      const body = reason === undefined ? {} : { reason }
      const job = await api().send<JobAnswer>("POST", `/jobs/${segment(id)}/cancel`, body)
      say(around, options, job, ({ status }) => [`Job ${cellText(id)} is ${cellText(status)}.`])
    })
  examples(
    group,
    `  millrace jobs enqueue send_email '{"to":"ada@example.test"}' --priority high
  millrace jobs enqueue report '{}' --delay 10m --key report-2026-11
  cat payload.json | millrace jobs enqueue report -
  millrace jobs show 01JN8Z3V5E8Q2R7W4Y6T9A1B3C --watch
  millrace jobs cancel 01JN8Z3V5E8Q2R7W4Y6T9A1B3C --reason "wrong address"`,
  )
}

const RETRY = ["jittered", "minutes", "immediate"] as const

const windowOf = (text: string): string => isoDuration("--unique", text)

const OPEN: ReadonlySet<string> = new Set(["PENDING", "RUNNING"])

async function readJob(api: ApiClient, id: string): Promise<JobAnswer> {
  const job = await api.get<JobAnswer>(`/jobs/${segment(id)}`)
  if (!OPEN.has(job.status)) return job
  const { reasons } = await api.get<{ reasons: readonly WaitingAnswer[] }>(`/v1/jobs/${segment(id)}/waiting`)
  return { ...job, waiting: reasons }
}

function addEnqueue(group: Command, around: Surroundings): void {
  withJson(
    group
      .command("enqueue <type> [payload]")
      .description("Enqueue a job. The payload is a JSON object, or - to read it from the input."),
  )
    .option("--priority <lane>", "critical, high or normal (default: normal)", oneOf("critical", "high", "normal"))
    .option("--key <key>", "once per key and type: a repeat gives back the job that is there")
    .option("--delay <duration>", "not before that time has passed, such as 10m")
    .option("--timeout <duration>", "how long one attempt may run")
    .option("--retries <n>", "how often it is tried again", wholeNumber)
    .option("--retry <policy>", "jittered, minutes or immediate (default: jittered)", oneOf(...RETRY))
    .option(
      "--unique <key:duration>",
      "one of this type and key within that time; another is refused",
      keyAnd(windowOf),
    )
    .option("--limit <key:max>", "at most so many of this key at a time", keyAnd(positiveWhole))
    .option("--fair-key <key>", "jobs of different keys take turns")
    .option("--downstream <name>", "the system it calls")
    .action(async (type: string, payload: string | undefined, { json, ...given }: EnqueueOptions) => {
      const { delay, timeout, fairKey, unique, limit, ...rest } = given
      const body = {
        type,
        payload: await payloadOf(payload, around),
        ...rest,
        ...(delay === undefined ? {} : { delay: isoDuration("--delay", delay) }),
        ...(timeout === undefined ? {} : { timeout: isoDuration("--timeout", timeout) }),
        ...(unique === undefined ? {} : { unique: { key: unique.key, for: unique.value } }),
        ...(limit === undefined ? {} : { limit: { key: limit.key, max: limit.value } }),
        ...(fairKey === undefined ? {} : { fair_key: fairKey }),
      }
      const job = await new ApiClient(around.env).send<JobAnswer>("POST", "/jobs", body)
      say(around, { json: json === true }, job, ({ id, priority }) => [
        `Enqueued ${cellText(id)} in lane ${cellText(priority)}.`,
      ])
    })
}

async function payloadOf(given: string | undefined, around: Surroundings): Promise<unknown> {
  const json = given === "-" ? await text(around.input) : (given ?? "{}")
  return objectOf(json, "the payload")
}

/** Judged here as well: the words of a JSON parser are better told before anything is sent. */
export function objectOf(json: string, what: string): object {
  try {
    const value: unknown = JSON.parse(json)
    if (isObject(value)) return value
  } catch (error) {
    throw calledWrongly(`${what} is no JSON: ${cellText((error as Error).message)}`)
  }
  throw calledWrongly(`${what} must be a JSON object, such as '{"to":"ada@example.test"}'`)
}

/** The wire has ISO-8601 only. */
export function isoDuration(option: string, given: string): string {
  return formatDuration(durationOption(option, given))
}
