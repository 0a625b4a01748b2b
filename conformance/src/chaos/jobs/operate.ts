// The operators of the queue: they replay dead letters, weigh the lanes otherwise, and pause one and resume it.
import { setTimeout as sleep } from "node:timers/promises"
import type { Line } from "../journal.ts"
import type { Letter, Shares } from "./door.ts"
import { ofOp } from "./lines.ts"
import { LANES, QUEUE_TYPES } from "./order.ts"
import type { LoadMeans } from "./submit-jobs.ts"

const WEIGHTS: readonly Shares[] = [
  { critical: 60, high: 30, normal: 10 },
  { critical: 10, high: 30, normal: 60 },
  { critical: 34, high: 33, normal: 33 },
  { critical: 100, high: 0, normal: 0 },
]

export async function operateQueue(means: LoadMeans): Promise<void> {
  const { random, phase, bug } = means
  for (let n = 0; !phase.draining; n++) {
    await sleep(random.between(150, 450))
    await act(means, n).catch((error: unknown) => bug("operate", error))
  }
  await resumeAll(means)
}

async function act(means: LoadMeans, n: number): Promise<void> {
  const { door, random, name } = means
  const dice = random.next()
  if (dice < 0.5) return replayAny(means, n)
  if (dice < 0.505) return void (await door.replayAll(random.pick(QUEUE_TYPES), `${name}-all-${n}`))
  if (dice < 0.66) return void (await door.setWeights(random.pick(WEIGHTS)))
  if (dice < 0.73) return void (await door.pause(random.pick(LANES)))
  // The process that paused it may have been killed since.
  await door.resume(random.pick(LANES))
}

/** Nothing stays paused when the load is over. */
async function resumeAll({ door, phase, bug }: LoadMeans): Promise<void> {
  for (const lane of LANES) {
    while (!phase.stopped) {
      const answer = await door.resume(lane).catch((error: unknown) => bug("resume", error))
      if (!answer || answer.is === "ok") break
      await sleep(200)
    }
  }
}

async function replayAny(means: LoadMeans, n: number): Promise<void> {
  const { door, random, name } = means
  const answer = await door.letters()
  if (answer.is !== "ok" || answer.value.length === 0) return
  await replayOne(means, random.pick(answer.value), `${name}-replay-${n}`)
}

/** One request; some click twice. */
async function replayOne(means: LoadMeans, letter: Letter, key: string): Promise<void> {
  const isTwice = means.random.chance(0.2)
  await Promise.all([replay(means, letter, key), ...(isTwice ? [replay(means, letter, key)] : [])])
}

/** The same request again until there is an answer. A shut gate is none: work that was accepted once is never refused. */
async function replay({ door, journal, phase, bug }: LoadMeans, { id, job }: Letter, key: string): Promise<void> {
  while (!phase.stopped) {
    journal.write({ op: "replay", key, letter: id, job })
    const answer = await door.replay(id, key).catch((error: unknown) => bug("replay", error))
    if (!answer) return
    if (answer.is === "ok") return journal.write({ op: "replayed", key, job, id: answer.value })
    if (answer.is === "no") return journal.write({ op: "replay-refused", key })
    if (answer.is === "full") bug("replay", new Error(`F61: the replay of ${id} was refused because the queue is full`))
    await sleep(200)
  }
}

/** Replays that the lives before this one got no answer to. */
export async function replayAgain(means: LoadMeans, lines: readonly Line[]): Promise<void> {
  const answered = new Set([...ofOp(lines, "replayed"), ...ofOp(lines, "replay-refused")].map(({ key }) => key))
  const open = new Map(ofOp(lines, "replay").flatMap((line) => (answered.has(line.key) ? [] : [[line.key, line]])))
  await Promise.all([...open.values()].map(({ key, letter, job }) => replay(means, { id: letter, job }, key)))
}
