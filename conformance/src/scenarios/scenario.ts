// What a scenario is: definitions and handlers as data, which any SDK can bring, and a script against a client of any transport.
import { readFileSync } from "node:fs"
import type { Definition, EngineClient, Variables } from "@millrace/sdk"

/** The calls that scenarios make; a client of another transport has the same, and refuses with the same codes. */
export type ScenarioClient = Pick<
  EngineClient,
  | "uploadDefinition"
  | "getDefinition"
  | "listDefinitions"
  | "startInstance"
  | "getInstance"
  | "listInstances"
  | "getHistory"
  | "getAudit"
  | "cancelInstance"
  | "completeUserTask"
  | "signal"
  | "listUserTasks"
  | "poll"
  | "complete"
>

/** What a handler does, said so that every language can do it. */
export interface HandlerScript {
  /** Variables to return as they are. */
  readonly sets?: Variables
  /** Variables to return under a new name: proves what the handler saw. */
  readonly copies?: Readonly<Record<string, string>>
  /** Fails, retryably, while `job.attempt` is not above this. */
  readonly failsFirst?: number
  readonly fails?: "retryably" | "for-good"
  /** Of the failure. */
  readonly message?: string
}

export type HandlerScripts = Readonly<Record<string, HandlerScript>>

/** The worker process of the cell: it has a handler for every script of every scenario. */
export interface ScenarioWorker {
  readonly workerId: string
}

export interface Scenario {
  readonly id: string
  readonly title: string
  readonly definitions: readonly Definition[]
  readonly handlers: HandlerScripts
  readonly run: (client: ScenarioClient, worker: ScenarioWorker) => Promise<void>
}

interface ScenarioFile {
  readonly definitions: readonly Definition[]
  readonly handlers: HandlerScripts
}

/** Joins a script with its file in `conformance/scenarios`. */
export function scenario(id: string, title: string, run: Scenario["run"]): Scenario {
  return { id, title, run, ...readScenarioFile(id) }
}

export function readScenarioFile(id: string): ScenarioFile {
  return JSON.parse(readFileSync(new URL(`../../scenarios/${id}.json`, import.meta.url), "utf8")) as ScenarioFile
}
