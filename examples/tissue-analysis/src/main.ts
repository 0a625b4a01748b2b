// `npm start`: tells the story of a queue that a schedule drains; with `--workflows 600` so many at once.
import { parseArgs } from "node:util"
import type { Board } from "./board.ts"
import { runCrowd } from "./crowd.ts"
import type { Answer } from "./processor.ts"
import { onStage } from "./stage.ts"
import { tellStory } from "./story.ts"

const { values } = parseArgs({ options: { workflows: { type: "string" } } })
const workflows = values.workflows === undefined ? undefined : Number.parseInt(values.workflows, 10)

const interrupted = new AbortController()
// Whichever it is, what was started is stopped first: PostgreSQL would go on without its parent.
for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"] as const) process.once(signal, () => interrupted.abort(signal))

const say = (line: string): void => console.log(line)
const refreshes: number[] = []

async function onRefresh(answer: Answer, board: Board): Promise<void> {
  if (answer.processed === 0) return
  refreshes.push(answer.processed)
  if (workflows === undefined) say(`   refresh: ${JSON.stringify(answer)}; steps: ${await board.states()}`)
}

try {
  say("The engine and its PostgreSQL are started in a temporary folder.")
  const options = { signal: interrupted.signal, say, onRefresh, limits: { concurrency: workflows ? 16 : 4 } }
  const isGood = await onStage(options, (stage) =>
    workflows === undefined ? tellStory(stage) : runCrowd(stage, workflows, refreshes),
  )
  process.exitCode = isGood ? 0 : 1
} catch (error) {
  if (!interrupted.signal.aborted) throw error
  process.exitCode = interrupted.signal.reason === "SIGTERM" ? 143 : 130
}
