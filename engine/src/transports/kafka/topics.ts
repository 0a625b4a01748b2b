// Topics as they are on the brokers: which there are, how they are cut and copied, and how one is made.
import { setTimeout as sleep } from "node:timers/promises"
import { withInner } from "@millrace/sdk/kafka-group"
import type { Admin, ClusterTopicMetadata } from "@platformatic/kafka"
import { withAdmin } from "./admin.ts"
import type { KafkaSettings } from "./client-options.ts"
import { faultOf } from "./explain-failure.ts"

export interface TopicDescription {
  readonly name: string
  readonly partitions: number
  readonly replicas: number
  /** Partitions with fewer copies in step than there should be. */
  readonly behind: number
}

export interface NewTopics {
  readonly names: readonly string[]
  readonly partitions: number
  readonly replicas: number
}

/** Topics that do not exist are missing in the answer. */
export const describeTopics = (
  settings: KafkaSettings,
  names: readonly string[],
): Promise<ReadonlyMap<string, TopicDescription>> =>
  withAdmin(settings, async (admin) => {
    const found = await askTogether(admin, names)
    return new Map([...found].map(([name, topic]) => [name, describe(name, topic)]))
  })

/** How many partitions each has; those that do not exist are left out. */
export async function partitionsOf(admin: Admin, names: readonly string[]): Promise<ReadonlyMap<string, number>> {
  const found = await askTogether(admin, names)
  return new Map([...found].map(([name, topic]) => [name, topic.partitions.length]))
}

/** The names of those that were made; one that exists already is left as it is. */
export const createTopics = (settings: KafkaSettings, { names, ...shape }: NewTopics): Promise<readonly string[]> =>
  withAdmin(settings, async (admin) => {
    const made: string[] = []
    for (const name of names) if (await create(admin, name, shape)) made.push(name)
    await untilServed(admin, made)
    return made
  })

const SERVED_WITHIN_MS = 10_000
const LOOK_EVERY_MS = 50

/** A topic is made before each broker knows of it and leads its partitions. After the time it is left to its users to wait. */
export async function untilServed(admin: Admin, names: readonly string[]): Promise<void> {
  const deadline = performance.now() + SERVED_WITHIN_MS
  while (names.length > 0 && performance.now() < deadline) {
    const found = await askTogether(admin, names)
    if (names.every((name) => isServed(found.get(name)))) return
    await sleep(LOOK_EVERY_MS)
  }
}

const isServed = (topic: ClusterTopicMetadata | undefined): boolean =>
  topic?.partitions.every(({ leader, isr, replicas }) => leader >= 0 && isr.length === replicas.length) ?? false

async function create(admin: Admin, name: string, shape: Omit<NewTopics, "names">): Promise<boolean> {
  try {
    await admin.createTopics({ topics: [name], ...shape })
    return true
  } catch (error) {
    if (withInner(error).some(({ apiId }) => apiId === "TOPIC_ALREADY_EXISTS")) return false
    throw error
  }
}

/** One unknown topic fails the question about all of them, so each is then asked for alone. */
async function askTogether(admin: Admin, names: readonly string[]): Promise<Map<string, ClusterTopicMetadata>> {
  try {
    return await ask(admin, names)
  } catch (error) {
    if (faultOf(error) !== "unknown-topic") throw error
  }
  const found = new Map<string, ClusterTopicMetadata>()
  for (const name of names) {
    const topic = await askAlone(admin, name)
    if (topic) found.set(name, topic)
  }
  return found
}

async function askAlone(admin: Admin, name: string): Promise<ClusterTopicMetadata | undefined> {
  try {
    return (await ask(admin, [name])).get(name)
  } catch (error) {
    if (faultOf(error) === "unknown-topic") return undefined
    throw error
  }
}

const ask = async (admin: Admin, names: readonly string[]): Promise<Map<string, ClusterTopicMetadata>> =>
  (await admin.metadata({ topics: [...names], forceUpdate: true })).topics

function describe(name: string, { partitions }: ClusterTopicMetadata): TopicDescription {
  const replicas = Math.min(...partitions.map((partition) => partition.replicas.length))
  const behind = partitions.filter(({ isr, replicas: all }) => isr.length < all.length).length
  return { name, partitions: partitions.length, replicas, behind }
}
