// Why an instance is not moving, said to a reader who wants it to move.
import type { Definition } from "../../api/definitions.ts"
import type { WaitingReason } from "../../api/instance.ts"
import { count } from "../../kit/numbers.ts"
import { durationText, relativeText } from "../../kit/time.tsx"
import { stepName } from "./drawn-definition.ts"

export interface WaitingWords {
  readonly headline: string
  readonly more?: string
  /** It does not solve itself: a worker has to be started, a pause to be lifted. */
  readonly isStuck?: boolean
}

interface Told {
  readonly definition: Definition
  readonly now: number
}

/** A worker that is alive asks at least this often. */
const SILENT_MS = 60_000

export function waitingWords(reason: WaitingReason, told: Told): WaitingWords {
  const say = WORDS[reason.kind]
  return say ? say(facts(reason, told)) : { headline: sentence(text(reason.detail.message) ?? reason.kind) }
}

/** What the words are made of. */
interface Facts extends Told {
  readonly reason: WaitingReason
  /** The step's name, in quotes. */
  readonly step: string
  readonly text: (name: string) => string | undefined
  readonly number: (name: string) => number | undefined
  /** `in 20 s`; empty without a time. */
  readonly when: (name: string) => string
}

const facts = (reason: WaitingReason, { definition, now }: Told): Facts => ({
  reason,
  definition,
  now,
  step: reason.stepId === undefined ? "The instance" : `“${stepName(definition, reason.stepId)}”`,
  text: (name) => text(reason.detail[name]),
  number: (name) => (typeof reason.detail[name] === "number" ? (reason.detail[name] as number) : undefined),
  when: (name) => {
    const at = text(reason.detail[name])
    return at === undefined ? "" : relativeText(Date.parse(at), now)
  },
})

const WORDS: Readonly<Record<string, (facts: Facts) => WaitingWords>> = {
  "user-task": ({ step, reason, definition }) => {
    const { assignee, assigneeGroup } = definition.steps.find(({ id }) => id === reason.stepId) ?? {}
    const whose = assignee ? `It is for ${assignee}.` : assigneeGroup ? `It is in the inbox of ${assigneeGroup}.` : ""
    return { headline: `A person has to complete ${step}.`, more: whose }
  },
  signal: waitsForSignal,
  timer: waitsForTimer,
  "job-queued": waitsInQueue,
  "job-leased": ({ step, text, number, when }) => ({
    headline: `Worker ${text("workerId")} is at work on ${step}.`,
    more: `Attempt ${number("attempt")}; the lease ends ${when("leasedUntil")} unless the worker renews it.`,
  }),
  retry: ({ step, text, number, when }) => ({
    headline: `${step} failed and is tried again ${when("dueAt")}.`,
    more: [`Attempt ${number("attempt")} ended`, text("reason")].filter(Boolean).join(": "),
  }),
  paused: ({ step, text, reason }) => ({
    headline: `${step} is held back: ${pausedThing(text("paused"))} ${text("name")} was paused by ${text("pausedBy")}.`,
    more: text("reason") ? `Reason: ${text("reason")}` : "",
    isStuck: reason.kind === "paused",
  }),
  pace: ({ step, text, number, when }) => ({
    headline: `${step} waits for its turn at downstream ${text("downstream")}.`,
    more: [
      ahead(number("position")),
      number("perSecond") === undefined ? "" : `${number("perSecond")} a second are let through.`,
      number("concurrency") === undefined ? "" : `${number("inFlight")} of ${number("concurrency")} are in flight.`,
      when("expectedAt") && `It is expected to start ${when("expectedAt")}.`,
    ]
      .filter(Boolean)
      .join(" "),
  }),
  limit: ({ step, text, number }) => ({
    headline: `${step} waits: ${number("underWay")} jobs with the limit key ${text("limitKey")} are under way, of ${number("max")} at most.`,
    more: ahead(number("position")),
  }),
}

function waitsForSignal({ step, reason, when }: Facts): WaitingWords {
  const names = Array.isArray(reason.detail.signals) ? reason.detail.signals.map(String) : []
  const children = names.filter((name) => name.startsWith("end of ")).map((name) => name.slice("end of ".length))
  const limit = when("dueAt") && `It gives up ${when("dueAt")}.`
  if (children.length > 0)
    return { headline: `${step} waits for its child ${children.join(", ")} to end.`, more: limit }
  const which = names.length > 0 ? `the signal ${names.join(" or ")}` : "a signal"
  return { headline: `${step} waits for ${which}.`, more: limit || "Another system sends it, or you do." }
}

function waitsForTimer({ step, text, when, reason, definition }: Facts): WaitingWords {
  const timer = text("timer")
  const due = when("dueAt")
  if (timer === "deadline") return { headline: `The instance fails ${due} if it has not ended by then: its deadline.` }
  if (timer === "total") return { headline: `${step} fails ${due} if it has not ended by then: its timeout.` }
  if (timer === "queue") return { headline: `${step} fails ${due} if no worker has taken its job by then.` }
  const index = timer?.startsWith("boundary:") ? Number(timer.slice("boundary:".length)) : undefined
  if (index === undefined) return { headline: `${step} begins ${due}.` }
  const event = definition.steps.find(({ id }) => id === reason.stepId)?.boundaryEvents?.[index]
  const target = event ? `“${stepName(definition, event.targetStepId)}”` : "another step"
  const how = event?.interrupting ? "takes its place" : "starts beside it"
  return { headline: `If ${step} is still open ${due}, ${target} ${how}.` }
}

function waitsInQueue({ step, text, number, now }: Facts): WaitingWords {
  const type = text("jobType")
  const polledAt = text("lastPolledAt")
  const silent = polledAt === undefined ? undefined : now - Date.parse(polledAt)
  const place = ahead(number("position"))
  const headline = `${step} waits for a worker to take its job of type ${type}.`
  if (silent === undefined)
    return { headline, more: `No worker has ever asked for ${type}: start one that does. ${place}`, isStuck: true }
  if (silent > SILENT_MS) {
    const more = `No worker has asked for ${type} for ${durationText(silent)}: is one running? ${place}`
    return { headline, more, isStuck: true }
  }
  const share = `Priority ${text("priority")} gets ${number("share")} of 100 claims.`
  return { headline, more: `${place} ${share}` }
}

const ahead = (position: number | undefined): string => {
  if (position === undefined) return ""
  if (position <= 1) return "It is the next one."
  return position === 2 ? "One job is before it." : `${count(position - 1, position <= 1_000)} jobs are before it.`
}

const pausedThing = (kind: string | undefined): string => (kind === "jobType" ? "job type" : (kind ?? "queue"))

const text = (value: unknown): string | undefined => (typeof value === "string" ? value : undefined)

const sentence = (words: string): string => `${words.charAt(0).toUpperCase()}${words.slice(1)}.`
