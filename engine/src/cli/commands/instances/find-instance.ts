// Which instance is meant: by its id, by its business key, or by the key of its run.
import type { wire } from "@millrace/sdk"
import type { Command } from "commander"
import { isUlid } from "../../../support/ids.ts"
import { CommandError, calledWrongly } from "../../command-error.ts"
import { cellText } from "../../drawing/cell-text.ts"
import { given } from "../../options/values.ts"
import type { RemoteEngine } from "../../remote-engine.ts"
import { findRuns } from "./list-by-key.ts"

export interface WhichOptions {
  readonly definition?: string
}

type Fits = (one: wire.Instance) => boolean | Promise<boolean>

interface Which {
  readonly definition?: string | undefined
  /** What the command needs, the most telling first: asked where instances of several definitions have the key. */
  readonly fits?: readonly Fits[] | undefined
  /** Given by a command that only looks: where all have ended the newest will do, and this says which one that was. */
  readonly note?: ((text: string) => void) | undefined
}

export const withWhich = (command: Command): Command =>
  command.option("--definition <id>", "the word is a key of this definition: a business key, or the key of a run")

const LIVE: ReadonlySet<wire.InstanceStatus> = new Set(["ACTIVE", "WAITING"])

export const isLive = ({ status }: Pick<wire.Instance, "status">): boolean => LIVE.has(status)

/** The id. What has the form of an id is one, unless a definition is named: keys may look like anything. */
export async function findInstance(engine: RemoteEngine, word: string, which: Which): Promise<string> {
  const { definition } = which
  if (word.trim() === "" || /^\.\.?$/.test(word)) throw calledWrongly(`"${cellText(word)}" is not an id or a key`)
  if (definition === undefined && isUlid(word)) return word
  const run = definition === undefined ? undefined : await findRun(engine, definition, word)
  return run?.id ?? (await findByBusinessKey(engine, word, which))
}

/** Known for a definition alone: the same key may belong to runs of several. */
const findRun = (engine: RemoteEngine, definitionId: string, key: string): Promise<wire.Instance | undefined> =>
  engine.callIfFound("getIntake", { path: { definitionId, key } })

async function findByBusinessKey(engine: RemoteEngine, key: string, which: Which): Promise<string> {
  const { definition: definitionId, fits = [isLive] } = which
  const query = { businessKey: key, ...given({ definitionId }) }
  const { items: all } = await engine.call("listInstances", { query })
  const items = await narrowed(all, fits)
  const definitions = definitionsOf(items)
  if (definitions.size > 1) {
    const names = [...definitions].map(cellText).join(" and ")
    if (which.note === undefined || items.some(isLive))
      throw calledWrongly(`instances of ${names} have the business key ${cellText(key)}: name one with --definition`)
    const newest = cellText(items[0]?.definitionId)
    which.note(
      `Ended instances of ${names} have the key ${cellText(key)}; this is the newest, of ${newest}. --definition names another.`,
    )
  }
  // Of one definition at most one is live; of those that have ended the newest is meant.
  const found = items.find(isLive) ?? items[0]
  if (found) return found.id
  if (definitionId === undefined) return onlyRun(engine, key)
  throw new CommandError(`there is no instance of ${cellText(definitionId)} with the key ${cellText(key)}`)
}

/** The run that has the key, where it is one alone. */
async function onlyRun(engine: RemoteEngine, key: string): Promise<string> {
  const [run, ...others] = await findRuns(engine, key)
  if (run === undefined) throw new CommandError(`there is no instance with the key ${cellText(key)}`)
  if (others.length === 0) return run.instanceId
  const definitions = [run, ...others].map(({ definitionId }) => cellText(definitionId)).join(" and ")
  throw calledWrongly(`runs of ${definitions} have the key ${cellText(key)}: name one with --definition`)
}

/** The instances of a chain have one key: where there are several definitions, those that fit are meant. */
async function narrowed(all: readonly wire.Instance[], fits: readonly Fits[]): Promise<readonly wire.Instance[]> {
  let items = all
  for (const fit of fits) {
    if (definitionsOf(items).size <= 1) break
    const verdicts = await Promise.all(items.map(fit))
    const fitting = items.filter((_, at) => verdicts[at])
    if (fitting.length > 0) items = fitting
  }
  return items
}

const definitionsOf = (items: readonly wire.Instance[]): ReadonlySet<string> =>
  new Set(items.map((one) => one.definitionId))
