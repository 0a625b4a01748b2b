// The story: slides that go well, badly and not at all, from a queue that no worker polls to one that empties itself.
import { analysis } from "./analysis.ts"
import { type Slide, unreachable } from "./lab.ts"
import { processQueue } from "./processor.ts"
import type { Stage } from "./stage.ts"

const SLIDES: readonly Slide[] = [
  { slide: "slide-1", file: "slide-1.svs", site: "south" },
  { slide: "slide-2", file: "slide-2.svs", site: "south", trouble: { predict: 2 } },
  { slide: "slide-3", file: "invoice.docx", site: "south" },
  { slide: "slide-4", file: "slide-4.svs", site: "south" },
  { slide: "slide-5", file: "slide-5.svs", site: "north" },
]
const BATCH = 60

/** The ids of the five, by name. */
type Ids = ReadonlyMap<string, string>

export async function tellStory(stage: Stage): Promise<boolean> {
  const { say } = stage
  say(analysis.steps.flatMap(({ id, type }) => (type === "END" ? [] : [id])).join(" → "))
  const ids = await nobodyPolls(stage)
  await refreshByHand(stage, ids)
  await shortOfTime(stage)
  await everyMinute(stage)
  await deadLetters(stage, ids)
  return theEnd(stage, ids)
}

async function nobodyPolls({ submit, setSchedule, board, say }: Stage): Promise<Ids> {
  say("\n1. Nobody polls: the schedule is off, five slides come in")
  unreachable.add("north")
  await setSchedule(false)
  const ids = new Map<string, string>()
  for (const slide of SLIDES) ids.set(slide.slide, await submit(slide))
  say(`   steps: ${await board.states()}`)
  return ids
}

async function refreshByHand({ client, until, board, say }: Stage, ids: Ids): Promise<void> {
  say("\n2. Refresh by hand: POST /v1/schedules/refresh/run, the way of every tick")
  const aborted = ids.get("slide-4") ?? ""
  await client.cancelInstance(aborted, { reason: "of another patient" })
  say(`   slide-4 is aborted while it is queued: ${await board.stepsOf(aborted)}`)
  const { workId = "" } = await client.schedules.run("refresh")
  await until(async () => (await client.getJob(workId)).status === "COMPLETED")
  for (const name of ["slide-1", "slide-2", "slide-3", "slide-5"])
    say(`   ${name}: ${await board.stepsOf(ids.get(name) ?? "")}`)
}

async function shortOfTime({ mill, submit, until, pager, board, say }: Stage): Promise<void> {
  say(`\n3. ${BATCH} more slides, and a processor that the platform ends after 1.5 s; 1 s is its reserve`)
  await Promise.all(
    Array.from({ length: BATCH }, (_, n) => submit({ slide: `batch-${n}`, file: `batch-${n}.tiff`, site: "south" })),
  )
  await until(() => pager.alerts.length > 0)
  for (const { subject, message } of pager.alerts) say(`   the pager: ${subject}. ${message}`)
  const leftMs = countdown(1_500)
  const answer = await processQueue(mill, { deadline: leftMs, reserve: 1_000 })
  say(
    `   ${JSON.stringify(answer)}, with ${(leftMs() / 1_000).toFixed(1)} s in hand; ${await board.queued()} steps stay in the queue`,
  )
}

/** What is left of the time, counted from when it is first asked for: what a machine needs before that costs none of it. */
function countdown(ms: number): () => number {
  let startedAt: number | undefined
  return () => {
    startedAt ??= performance.now()
    return ms - (performance.now() - startedAt)
  }
}

async function everyMinute({ setSchedule, until, board, say }: Stage): Promise<void> {
  say("\n4. The schedule is on: every minute, which here is every second")
  await setSchedule(true)
  await until(async () => (await board.outcome()).pending === 0)
}

async function deadLetters({ client, board, until, say }: Stage, ids: Ids): Promise<void> {
  say("\n5. What was given up: select * from millrace_views.dead_letter_queue_item")
  const nameOf = (id: string) => [...ids].find(([, of]) => of === id)?.[0]
  const letters = await board.deadLetters()
  for (const { workflow_id, step_id, error, retry_count } of letters)
    say(`   ${nameOf(workflow_id)}: ${step_id}: ${error}; retries: ${retry_count}`)
  unreachable.delete("north")
  const letter = letters.find(({ workflow_id }) => workflow_id === ids.get("slide-5"))
  if (!letter) return
  say("   the line is mended: POST /queues/dlq/{id}/replay, and the next tick goes on with slide-5")
  await client.deadLetters.replay(letter.id)
  await until(async () => (await board.outcome()).pending === 0)
}

async function theEnd({ client, setSchedule, board, say }: Stage, ids: Ids): Promise<boolean> {
  await setSchedule(false)
  say("\n6. The end")
  const statuses: string[] = []
  for (const [name, id] of ids) {
    const { status, failureReason } = await client.getInstance(id)
    statuses.push(status)
    say(`   ${name}: ${status}${failureReason ? `, ${failureReason}` : ""}`)
  }
  say(`   steps: ${await board.states()}`)
  const { complete } = await board.outcome()
  say(`   ${complete} of ${SLIDES.length + BATCH} analyses are complete; one was no slide, one was aborted`)
  return statuses.join() === "COMPLETED,COMPLETED,FAILED,CANCELLED,COMPLETED" && complete === BATCH + 3
}
