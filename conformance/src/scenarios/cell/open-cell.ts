// Opens a cell: the program of its SDK with a client and a worker on a running engine, ready for scenarios.
import type { Writable } from "node:stream"
import { Program } from "../control/program.ts"
import { programOf } from "../control/programs.ts"
import { Refusal } from "../control/refusal.ts"
import { type Cell, isLegacy } from "../matrix.ts"
import type { HandlerScripts, Scenario } from "../scenario.ts"
import { runScript } from "../script/run-script.ts"
import type { Stage } from "../script/stage.ts"
import { checkDiscovery, discovers } from "./discovery.ts"
import { inItsPlace } from "./legacy.ts"
import { askRest } from "./rest-door.ts"
import { Troupe } from "./troupe.ts"

export interface EngineUrls {
  readonly rest: string
  readonly grpc: string
  readonly metrics: string
}

export interface CellOrder {
  readonly cell: Cell
  readonly urls: EngineUrls
  /** The addresses of the Kafka that the engine dispatches through, if it does. */
  readonly brokers?: string | undefined
  /** Instead of that of its SDK. */
  readonly program?: string | undefined
  readonly scenarios: readonly Scenario[]
  /** Where the programs' standard error goes. */
  readonly log: Writable
}

export interface OpenCell {
  run(scenario: Scenario): Promise<void>
  /** The program must drain and exit with 0. */
  close(): Promise<void>
}

const WORKER = { workerId: "scenario-worker", concurrency: 64, leaseSeconds: 30 }

export async function openCell(order: CellOrder): Promise<OpenCell> {
  const program = launch(order)
  try {
    await connect(order, program)
    if (discovers(order.cell)) checkDiscovery(await program.call("discover", {}))
    for (const definition of order.scenarios.flatMap(({ definitions }) => definitions))
      await tell(order, program, { command: "uploadDefinition", args: { definition } })
    await tell(order, program, { command: "startWorker", args: { ...WORKER, handlers: handlersOf(order.scenarios) } })
  } catch (error) {
    program.kill()
    throw error
  }
  return {
    run: (scenario) => play(order, program, scenario),
    async close() {
      const how = await program.end()
      if (how !== "exit code 0") throw new Error(`the program of ${order.cell.name} did not drain: ${how}`)
    },
  }
}

const handlersOf = (scenarios: readonly Scenario[]): HandlerScripts =>
  Object.assign({}, ...scenarios.map(({ handlers }) => handlers))

const launch = ({ cell, program, log }: CellOrder): Program =>
  new Program({ command: [program ?? programOf(cell.sdk)], log })

function connect({ cell, urls }: CellOrder, program: Program): Promise<unknown> {
  if (cell.transport === "rest") return program.call("open", { url: urls.rest })
  return program.call("open", { url: urls.grpc, restUrl: urls.rest })
}

async function play(order: CellOrder, program: Program, scenario: Scenario): Promise<void> {
  const troupe = new Troupe(
    () => launch(order),
    (one) => connect(order, one),
  )
  const stage: Stage = {
    values: new Map<string, unknown>([
      ["definitions", scenario.definitions],
      ["worker", WORKER],
    ]),
    tell: async (by, command, args) => tell(order, by ? await troupe.find(by) : program, { command, args }),
    program: (name) => troupe.release(name),
    rest: (method, path, body) => askRest(order.urls.rest, { method, path, body }),
  }
  try {
    await runScript(stage, scenario.script)
  } finally {
    await troupe.end()
  }
}

interface Command {
  readonly command: string
  readonly args: object
}

async function tell(
  { cell, urls, brokers }: CellOrder,
  program: Program,
  { command, args }: Command,
): Promise<unknown> {
  const instead = isLegacy(cell) ? inItsPlace(command, args as Record<string, unknown>) : undefined
  if (!instead) return program.call(command, command === "startWorker" ? { mode: cell.mode, brokers, ...args } : args)
  const { status, body } = await askRest(urls.rest, instead)
  if (status < 400) return body
  const { error, message } = body as { error: string; message: string }
  throw new Refusal({ code: error, message })
}
