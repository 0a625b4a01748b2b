// The race in words: what each part says when it is pointed at, and all of it for people who do not see the picture.
import type { PriorityInView } from "../../../api/overview.ts"
import { count, rate } from "../../../kit/numbers.ts"
import { durationText } from "../../../kit/time.tsx"
import type { DoorFigure, DoorName, OutletFigure, RaceFigures } from "./figures.ts"

export const DOOR_NAMES: Readonly<Record<DoorName, string>> = {
  rest: "REST",
  grpc: "gRPC",
  library: "library",
  kafka: "Kafka",
  schedule: "schedules",
  sql: "SQL",
}

export const doorWords = ({ door, accepted, refused }: DoorFigure): readonly string[] => [
  `${DOOR_NAMES[door]}: ${rate(accepted)} accepted per second.`,
  ...(refused > 0 ? [`${rate(refused)} refused per second, because a gate is shut.`] : []),
]

export const intakeWords = ({ accepted, refused, total }: RaceFigures): readonly string[] => [
  `Intake: ${rate(accepted)} jobs and instances accepted per second, ${rate(refused)} jobs refused.`,
  total.shut
    ? `All jobs are refused until ${count(total.lowWatermark)} are left of ${count(total.depth)}.`
    : `${count(total.depth)} jobs in all; at ${count(total.highWatermark)} all new ones are refused.`,
]

export const refusedWords = ({ refused }: RaceFigures): readonly string[] => [
  `${rate(refused)} jobs refused per second. Callers are told to try again later; nothing of theirs is stored.`,
]

export function channelWords(channel: PriorityInView): readonly string[] {
  const { name, depth, steps, highWatermark, lowWatermark, shut, paused, weight, claimedPerSecond } = channel
  return [
    `${name}: ${jobsText(depth)}${steps > 0 ? ` and ${count(steps)} ${steps === 1 ? "step" : "steps"} of workflows` : ""}.`,
    shut
      ? `Its gate is shut: new jobs are refused until fewer than ${count(lowWatermark)} are left.`
      : `Its gate is open, and shuts at ${count(highWatermark)}.`,
    `Workers take ${weight} of 100 jobs from here while all three have some; ${rate(claimedPerSecond)} per second now.`,
    ...(paused ? ["It is paused: nothing is taken from it."] : []),
    ...oldestWords(channel),
  ]
}

const oldestWords = ({ oldestWaitingSeconds: oldest }: PriorityInView): readonly string[] =>
  oldest === null ? [] : [`The oldest waits for ${durationText(oldest * 1_000)}.`]

const jobsText = (jobs: number): string => `${count(jobs)} ${jobs === 1 ? "job" : "jobs"}`

export const wheelWords = ({ workers, busy, claimed }: RaceFigures): readonly string[] => [
  workers === 0
    ? "No worker asks for work: nothing is taken from the channels."
    : `${count(busy)} of ${count(workers)} ${workers === 1 ? "worker is" : "workers are"} busy.`,
  `They take ${rate(claimed)} jobs and steps per second.`,
]

export function outletWords(outlet: OutletFigure): readonly string[] {
  const { kind, name, perSecond, pace, held, inFlight, isPaused, isPushedBack } = outlet
  if (kind === "direct") return [`Jobs that name no downstream: ${rate(perSecond)} per second.`]
  const limit = pace === undefined ? ", without a limit" : ` of at most ${rate(pace)}`
  return [
    `${kind === "others" ? `${name} downstreams` : name}: ${rate(perSecond)}${kind === "others" ? "" : limit} per second.`,
    `${count(inFlight)} in flight, ${count(held)} held before it.`,
    ...(isPaused ? ["It is paused."] : []),
    ...(isPushedBack ? ["It has asked to be left alone for now."] : []),
  ]
}

export const doneWords = ({ done }: RaceFigures): readonly string[] => [
  `Done: ${rate(done)} jobs and instances completed per second.`,
]

export const drainWords = ({ deadLetters, deadLettersAreExact, dead }: RaceFigures): readonly string[] => [
  `Dead letters: ${count(deadLetters, deadLettersAreExact)}. ${rate(dead)} jobs given up per second.`,
]

/** All of it, in the order of the water. */
export const raceWords = (figures: RaceFigures): readonly string[] => [
  ...(figures.isDry ? ["Nothing waits and nothing moves."] : []),
  ...intakeWords(figures),
  ...figures.doors.flatMap(doorWords),
  ...figures.channels.flatMap(channelWords),
  ...wheelWords(figures),
  ...figures.outlets.flatMap(outletWords),
  ...doneWords(figures),
  ...drainWords(figures),
]
