// Why something is not moving, in words: the same ones at every door.
import { relativeText } from "../kernel/relative-time.ts"
import { COUNTED_TO, type Waiting, type WaitingKind, type WaitingOf } from "./waiting.ts"

export interface WaitingWords {
  readonly headline: string
  readonly more?: string
  /** The wait does not end by itself: an operator has to start a worker or lift a pause. */
  readonly isStuck?: boolean
}

export interface Reader {
  readonly now: number
  /** A moment as this reader writes it. */
  readonly at: (time: string) => string
  /** What this reader calls another step; by its id where it is absent. */
  readonly nameOf?: ((stepId: string) => string) | undefined
}

export function waitingWords(waiting: Waiting, reader: Reader): WaitingWords {
  const say = WORDS[waiting.kind] as (detail: Waiting["detail"], saying: Saying) => WaitingWords
  return say(waiting.detail, sayingFor(reader))
}

/** An engine that is newer may have reasons that are not known here. */
export const isKnownKind = (kind: string): kind is WaitingKind => Object.hasOwn(WORDS, kind)

/** All of it in one line. */
export function waitingMessage(waiting: Waiting, reader: Reader): string {
  const { headline, more } = waitingWords(waiting, reader)
  return more === undefined ? headline : `${headline} ${more}`
}

/** How it stands, in a word or two. */
export const STANDING: Readonly<Record<WaitingKind, string>> = {
  sleep: "sleeps",
  signal: "waits for a signal",
  child: "waits for a child",
  "user-task": "waits for a person",
  retry: "waits to retry",
  returned: "given back",
  scheduled: "scheduled",
  "job-queued": "queued",
  "job-leased": "running",
  "job-dispatched": "dispatched",
  paused: "paused",
  pace: "kept to a pace",
  limit: "kept to a limit",
  timer: "timer",
  "set-aside": "set aside",
}

interface Saying extends Pick<Reader, "now" | "at"> {
  readonly nameOf: (stepId: string) => string
  /** `14:05 (in 9 min)`. What is due and has not happened yet happens now. */
  readonly due: (time: string) => string
}

function sayingFor({ now, at, nameOf = (stepId) => stepId }: Reader): Saying {
  return { now, at, nameOf, due: (time) => `${at(time)} (${relativeText(Math.max(now, Date.parse(time)), now)})` }
}

type Words = { readonly [Kind in WaitingKind]: (detail: WaitingOf<Kind>["detail"], saying: Saying) => WaitingWords }

const WORDS: Words = {
  sleep: ({ dueAt }, { due }) => ({ headline: `Sleeps until ${due(dueAt)}.` }),
  signal: ({ signals, dueAt, refused }, { due }) => ({
    headline: `Waits for the signal ${signals.join(" or ")}${dueAt === undefined ? "" : `, at most until ${due(dueAt)}`}.${
      refused === undefined ? "" : ` What came last was ${clause(refused)}.`
    }`,
  }),
  child: ({ child, childId }) => ({
    headline: `Waits for its child ${child}${childId === undefined ? "" : ` (${childId})`} to end.`,
  }),
  "user-task": waitsForPerson,
  retry: ({ attempt, failures, maxAttempts, reason, dueAt }, { due }) => ({
    headline: `Failed at attempt ${
      maxAttempts === undefined ? attempt : `${failures} of ${maxAttempts}`
    }: ${clause(reason)}; next attempt at ${due(dueAt)}.`,
  }),
  returned: ({ reason, dueAt }, { due }) => ({
    headline: `Given back by its worker: ${clause(reason)}; next attempt at ${due(dueAt)}.`,
  }),
  scheduled: ({ dueAt }, { due }) => ({ headline: `Scheduled for ${due(dueAt)}.` }),
  "job-queued": waitsInQueue,
  "job-leased": ({ workerId, attempt, leasedUntil }, { due }) => ({
    headline: `Worker ${workerId} is at work on it.`,
    more: `Attempt ${attempt}; the lease ends at ${due(leasedUntil)} unless the worker renews it.`,
  }),
  "job-dispatched": isInKafka,
  paused: ({ paused, name, pausedBy, pausedAt, reason }, { at }) => ({
    headline: `Held back: ${PAUSED[paused]} ${name} was paused by ${pausedBy} at ${at(pausedAt)}.`,
    ...(reason === undefined ? {} : { more: `Reason: ${clause(reason)}.` }),
    isStuck: true,
  }),
  pace: waitsForPace,
  limit: waitsForLimit,
  timer: waitsForTimer,
  "set-aside": ({ what, failures, reason, dueAt }, { due }) => ({
    headline: `Set aside after ${failures} ${failures === 1 ? "failure" : "failures"} of its ${what}: ${clause(reason)}${
      dueAt === undefined ? "" : `; tried again at ${due(dueAt)}`
    }.`,
    isStuck: true,
  }),
}

function isInKafka(detail: WaitingOf<"job-dispatched">["detail"], { at, due }: Saying): WaitingWords {
  const { topic, partition, offset, publishedAt, leasedUntil, attempt } = detail
  if (leasedUntil !== undefined)
    return {
      headline: `Read from the topic ${topic}, and not reported since.`,
      more: `Attempt ${attempt}; without a report it is dispatched again at ${due(leasedUntil)}.`,
    }
  if (publishedAt === undefined) return { headline: `On its way to the topic ${topic}: Kafka has not got it yet.` }
  return {
    headline: `Published to ${topic}, partition ${partition}, offset ${offset}, at ${at(publishedAt)}; not reported since.`,
    more: `Attempt ${attempt}; the consumers of the topic have not passed it.`,
  }
}

const PAUSED = { queue: "queue", jobType: "job type", definition: "definition", downstream: "downstream" } as const

/** Without its full stop, to stand inside of a sentence. */
const clause = (text: string): string => text.replace(/\.$/, "")

const jobs = (count: number): string => (count === 1 ? "1 job" : `${count} jobs`)
const are = (count: number): string => (count === 1 ? "is" : "are")

function place(position: number, ofKey = ""): string {
  const ahead = position - 1
  if (ahead === 0) return `It is the next one${ofKey}.`
  const many = ahead < COUNTED_TO ? jobs(ahead) : `${COUNTED_TO} jobs or more`
  return `${many}${ofKey} ${are(ahead)} before it.`
}

function waitsForPerson({ task, assignee, assigneeGroup, dueAt }: WaitingOf<"user-task">["detail"], { due }: Saying) {
  const who = assignee ?? (assigneeGroup === undefined ? "a person" : `a person of ${assigneeGroup}`)
  return {
    headline: `Waits for ${who} to complete the task ${task}.`,
    ...(dueAt === undefined ? {} : { more: `It is due at ${due(dueAt)}.` }),
  }
}

/** A worker that is alive asks at least this often. */
const SILENT_MS = 60_000

type Polled = Pick<WaitingOf<"job-queued">["detail"], "jobType" | "lastPolledAt">

function waitsInQueue(facts: WaitingOf<"job-queued">["detail"], saying: Saying): WaitingWords {
  const { jobType, workflow, priority, share, position, fairKey } = facts
  const headline =
    workflow === undefined
      ? `Waits in the queue for a worker to take its job of type ${jobType}.`
      : `Waits in the queue for a worker of the workflow ${workflow}.`
  const where =
    fairKey === undefined ? place(position) : `${place(position, ` of its key ${fairKey}`)} Keys take turns.`
  const silence = silenceOf(facts, saying)
  if (silence !== undefined) return { headline, more: `${silence} ${where}`, isStuck: true }
  return { headline, more: `${where} Priority ${priority} gets ${share} of 100 claims.` }
}

/** Undefined while workers ask for its type. */
function silenceOf({ jobType, lastPolledAt }: Polled, { now, at }: Saying): string | undefined {
  if (lastPolledAt === undefined) return `No worker has ever asked for ${jobType}: start one that does.`
  if (now - Date.parse(lastPolledAt) <= SILENT_MS) return undefined
  return `No worker has asked for ${jobType} since ${at(lastPolledAt)}: is one running?`
}

function waitsForLimit(facts: WaitingOf<"limit">["detail"], saying: Saying): WaitingWords {
  const { limitKey, max, underWay, running, priority, position } = facts
  const which = max === 1 ? "the one place" : `one of the ${max} places`
  const has = `${running} with a worker, ${underWay - running} ready for one`
  const headline = `Waits for ${which} of the limit key ${limitKey}: ${has}.`
  const where = place(position, ` of priority ${priority}`)
  const silence = running > 0 ? undefined : silenceOf(facts, saying)
  return silence === undefined ? { headline, more: where } : { headline, more: `${silence} ${where}`, isStuck: true }
}

function waitsForPace(facts: WaitingOf<"pace">["detail"], { due }: Saying): WaitingWords {
  const { downstream, position, perSecond, concurrency, inFlight, closedUntil, expectedAt } = facts
  const more = [
    place(position),
    ...(perSecond === undefined ? [] : [`${perSecond} a second are let through.`]),
    ...(concurrency === undefined ? [] : [`${inFlight} of ${concurrency} are in flight.`]),
    ...(closedUntil === undefined ? [] : [`It asked to be left alone until ${due(closedUntil)}.`]),
    ...(expectedAt === undefined ? [] : [`It is expected to start at ${due(expectedAt)}.`]),
  ]
  return { headline: `Waits for its turn at downstream ${downstream}.`, more: more.join(" ") }
}

/** What a timer will do, unless something else happens before. */
function waitsForTimer(facts: WaitingOf<"timer">["detail"], { due, nameOf }: Saying): WaitingWords {
  const { timer, dueAt, targetStepId, interrupting } = facts
  const when = due(dueAt)
  if (timer === "deadline")
    return { headline: `The instance fails at ${when} if it has not ended by then: its deadline.` }
  if (timer === "total") return { headline: `Fails at ${when} if it has not ended by then: its timeout.` }
  if (timer === "duration") return { headline: `Goes on at ${when}, unless a signal ends the wait before.` }
  if (timer === "queue") return { headline: `Fails at ${when} if no worker has taken its job by then.` }
  const how = interrupting ? "takes its place" : "starts beside it"
  const next = targetStepId === undefined ? "another step" : `the step ${nameOf(targetStepId)}`
  return { headline: `If it is still open at ${when}, ${next} ${how}.` }
}
