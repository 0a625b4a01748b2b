// Everything that runs: the engine with its schedule, a worker that the schedule starts, and those who look on. Gone when the show is over.
import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { setTimeout as sleep } from "node:timers/promises"
import { EngineClient } from "@millrace/sdk"
import { type Mill, millrace } from "millrace"
import { type Pager, startPager } from "./alerts.ts"
import { analysis, EVERY_MINUTE } from "./analysis.ts"
import { Board } from "./board.ts"
import { startEngine } from "./engine-process.ts"
import type { Slide } from "./lab.ts"
import { type Answer, type Limits, refresh } from "./processor.ts"

export interface Stage {
  readonly client: EngineClient
  readonly mill: Mill
  readonly board: Board
  readonly pager: Pager
  readonly say: (line: string) => void
  readonly submit: (slide: Slide) => Promise<string>
  readonly setSchedule: (enabled: boolean) => Promise<unknown>
  readonly until: (isSo: () => Promise<boolean> | boolean, withinMs?: number) => Promise<boolean>
}

export interface StageOptions {
  readonly signal: AbortSignal
  readonly limits?: Partial<Limits>
  readonly say: (line: string) => void
  /** Told after each run of the processor. */
  readonly onRefresh: (answer: Answer, board: Board) => unknown
}

export async function onStage<T>(options: StageOptions, show: (stage: Stage) => Promise<T>): Promise<T> {
  const closing: (() => unknown)[] = []
  try {
    return await show(await setStage(options, (close) => closing.unshift(close)))
  } finally {
    for (const close of closing) await close()
  }
}

async function setStage(
  { signal, limits = {}, say, onRefresh }: StageOptions,
  onEnd: (close: () => unknown) => void,
): Promise<Stage> {
  const dataDir = mkdtempSync(join(tmpdir(), "tissue-analysis-"))
  onEnd(() => rmSync(dataDir, { recursive: true, force: true }))
  const pager = await startPager()
  onEnd(() => pager.close())
  const engine = await startEngine(dataDir, pager.url)
  onEnd(() => engine.stop())
  const client = new EngineClient({ url: engine.url })
  onEnd(() => client.close())
  const board = new Board(engine.database)
  onEnd(() => board.close())
  const mill = await millrace({ database: engine.database, logLevel: "silent" })
  onEnd(() => mill.stop())
  await client.uploadDefinition(analysis)
  // The job that the schedule starts may take 300 s.
  await client.queues.setJobType("refresh", { timeout: "PT5M" })
  await mill.work([refresh(mill, limits, (answer) => onRefresh(answer, board))])
  return { client, mill, board, pager, say, ...actsOf(client), until: waiter(signal) }
}

const actsOf = (client: EngineClient): Pick<Stage, "submit" | "setSchedule"> => ({
  submit: async (slide) => (await client.startInstance({ definitionId: analysis.id, variables: slide })).id,
  setSchedule: (enabled) =>
    client.schedules.put("refresh", { cron: EVERY_MINUTE, jobType: "refresh", overlap: "skip", enabled }),
})

const LOOK_EVERY_MS = 100

/** False when it has not come about in time. */
const waiter =
  (signal: AbortSignal): Stage["until"] =>
  async (isSo, withinMs = 300_000) => {
    for (const end = performance.now() + withinMs; performance.now() < end; ) {
      if (await isSo()) return true
      await sleep(LOOK_EVERY_MS, undefined, { signal })
    }
    return false
  }
