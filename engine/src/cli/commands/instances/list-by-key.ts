// Instances that have a key, in either sense: the key of their run, or their business key.
import type { wire } from "@millrace/sdk"
import { readUpTo } from "../../options/paging.ts"
import type { RemoteEngine } from "../../remote-engine.ts"

interface KeyedList {
  readonly key: string
  readonly limit: number
  /** Without a fingerprint: that of an instance is not shown. */
  readonly filter: Omit<wire.InstanceFilter, "businessKey" | "failure">
}

/** Newest first, as every list. */
export async function listByKey(engine: RemoteEngine, { key, limit, filter }: KeyedList): Promise<wire.InstancePage> {
  const query = { ...filter, businessKey: key }
  const [page, runs] = await Promise.all([
    readUpTo(limit, (part) => engine.call("listInstances", { query: { ...query, ...part } })),
    readRuns(engine, key),
  ])
  const known = new Set(page.items.map(({ id }) => id))
  const more = runs.filter((run) => !known.has(run.id) && fits(run, filter))
  const items = [...page.items, ...more].toSorted(newestFirst)
  return { ...page, items: items.slice(0, limit), total: page.total + more.length }
}

const newestFirst = (a: wire.Instance, b: wire.Instance): number => (a.id < b.id ? 1 : -1)

interface PrefixList extends Omit<KeyedList, "key"> {
  readonly keyPrefix: string
}

/** Lists the instances whose business key, or key of the run, begins with this text. */
export async function listByKeyPrefix(engine: RemoteEngine, wanted: PrefixList): Promise<wire.InstancePage> {
  const { keyPrefix, limit, filter } = wanted
  const found = (await search(engine, keyPrefix)).filter(({ matched }) => matched !== "id")
  const items = (await readAll(engine, found)).filter((instance) => fits(instance, filter)).toSorted(newestFirst)
  return { items: items.slice(0, limit), total: items.length, totalIsExact: found.length < MOST_FOUND }
}

/** The search gives no more. */
export const MOST_FOUND = 50

/** It goes by beginnings, the whole key first. */
async function search(engine: RemoteEngine, prefix: string): Promise<readonly wire.FoundInstance[]> {
  return (await engine.call("searchInstances", { query: { prefix, limit: MOST_FOUND } })).items
}

/** One of a definition at most. */
export async function findRuns(engine: RemoteEngine, key: string): Promise<readonly wire.FoundInstance[]> {
  return (await search(engine, key)).filter(({ matched, text }) => matched === "key" && text === key)
}

const readRuns = async (engine: RemoteEngine, key: string): Promise<readonly wire.Instance[]> =>
  readAll(engine, await findRuns(engine, key))

const readAll = (engine: RemoteEngine, found: readonly wire.FoundInstance[]): Promise<readonly wire.Instance[]> =>
  Promise.all(found.map(({ instanceId }) => engine.call("getInstance", { path: { instanceId } }).then(withoutInput)))

/** As a list shows it. */
const withoutInput = ({ input: _, ...instance }: wire.Instance): wire.Instance => instance

function fits(instance: wire.Instance, filter: KeyedList["filter"]): boolean {
  const { definitionId, version, status, startedAfter, startedBefore } = filter
  const startedMs = Date.parse(instance.startedAt)
  return (
    (definitionId === undefined || instance.definitionId === definitionId) &&
    (version === undefined || instance.definitionVersion === version) &&
    (status === undefined || instance.status === status) &&
    (startedAfter === undefined || startedMs >= Date.parse(startedAfter)) &&
    (startedBefore === undefined || startedMs < Date.parse(startedBefore))
  )
}
