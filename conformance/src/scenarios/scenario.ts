// What a scenario is: data alone, so that the program of every language runs the same one.
import { readdirSync, readFileSync } from "node:fs"
import type { Definition } from "@millrace/sdk"
import type { Action } from "./script/action.ts"

/** What the handler of a job type does; `control-protocol.md` has its fields. */
export type HandlerScripts = Readonly<Record<string, object>>

export interface Scenario {
  readonly id: string
  /** A sentence about what holds. */
  readonly title: string
  /** Rules of the specification. */
  readonly proves: readonly string[]
  /** What a client from the first numbers of the contract cannot do; such a client is not asked to run it. */
  readonly needs?: "key" | "token" | "heartbeat"
  /** Why it is not run yet. */
  readonly open?: string
  /** Why it cannot hold where jobs are dispatched through Kafka. */
  readonly notInKafka?: string
  /** Lasts as long as real leases do. */
  readonly slow?: boolean
  readonly definitions: readonly Definition[]
  /** The handlers of the worker that runs beside every scenario of the cell. */
  readonly handlers: HandlerScripts
  readonly script: readonly Action[]
}

const FOLDER = new URL("../../scenarios/", import.meta.url)

/** The scenarios of a folder, by name. */
export const readScenarios = (folder: URL): Scenario[] =>
  readdirSync(folder)
    .filter((file) => file.endsWith(".json"))
    .sort()
    .map((file) => ({
      id: file.replace(/\.json$/, ""),
      ...(JSON.parse(readFileSync(new URL(file, folder), "utf8")) as Omit<Scenario, "id">),
    }))

export const scenarios: readonly Scenario[] = readScenarios(FOLDER)
