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
  const items = [...page.items, ...more].sort((a, b) => (a.id < b.id ? 1 : -1))
  return { ...page, items: items.slice(0, limit), total: page.total + more.length }
}

/** The search gives no more. */
const MOST_FOUND = 50

/** One of a definition at most. The search goes by beginnings, the whole key first. */
async function readRuns(engine: RemoteEngine, key: string): Promise<readonly wire.Instance[]> {
  const { items } = await engine.call("searchInstances", { query: { prefix: key, limit: MOST_FOUND } })
  const exact = items.filter(({ matched, text }) => matched === "key" && text === key)
  return Promise.all(
    exact.map(({ instanceId }) => engine.call("getInstance", { path: { instanceId } }).then(withoutInput)),
  )
}

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
