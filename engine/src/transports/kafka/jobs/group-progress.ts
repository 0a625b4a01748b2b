// How far the consumers of job types have come: what their groups have committed, and what their topics have.
import type { Admin } from "@platformatic/kafka"
import { groupOf, topicOf } from "../../../model/jobs/dispatch-topic.ts"
import type { Progress } from "../../../operations/jobs/dispatch/broker.ts"
import { partitionsOf } from "../topics.ts"

const EARLIEST = -2n
const LATEST = -1n

export async function readGroupProgress(admin: Admin, jobTypes: readonly string[]): Promise<readonly Progress[]> {
  const counts = await partitionsOf(admin, jobTypes.map(topicOf))
  const known = jobTypes.filter((jobType) => counts.has(topicOf(jobType)))
  if (known.length === 0) return []
  const topics = known.map(topicOf).map((name) => ({ name, partitions: counts.get(name) ?? 0 }))
  const [committed, first, end] = await Promise.all([
    readCommitted(admin, known, counts),
    readOffsets(admin, topics, EARLIEST),
    readOffsets(admin, topics, LATEST),
  ])
  return known.flatMap((jobType) =>
    Array.from({ length: counts.get(topicOf(jobType)) ?? 0 }, (_, partition) => {
      const place = `${topicOf(jobType)}:${partition}`
      const [from, to] = [first.get(place) ?? 0, end.get(place) ?? 0]
      return { jobType, partition, committed: committed.get(place), first: from, end: to }
    }),
  )
}

type Offsets = ReadonlyMap<string, number>

/** Without the partitions of which a group has committed nothing. */
async function readCommitted(
  admin: Admin,
  jobTypes: readonly string[],
  counts: ReadonlyMap<string, number>,
): Promise<Offsets> {
  const groups = await admin.listConsumerGroupOffsets({
    groups: jobTypes.map((jobType) => ({
      groupId: groupOf(jobType),
      topics: [{ name: topicOf(jobType), partitionIndexes: numbers(counts.get(topicOf(jobType)) ?? 0) }],
    })),
  })
  const told = groups.flatMap(({ topics }) =>
    topics.flatMap(({ name, partitions }) =>
      partitions.map(({ partitionIndex, committedOffset }) => [`${name}:${partitionIndex}`, committedOffset] as const),
    ),
  )
  return new Map(told.filter(([, offset]) => offset >= 0n).map(([place, offset]) => [place, Number(offset)]))
}

interface CountedTopic {
  readonly name: string
  readonly partitions: number
}

async function readOffsets(admin: Admin, topics: readonly CountedTopic[], timestamp: bigint): Promise<Offsets> {
  const listed = await admin.listOffsets({
    topics: topics.map(({ name, partitions }) => ({
      name,
      partitions: numbers(partitions).map((partitionIndex) => ({ partitionIndex, timestamp })),
    })),
  })
  return new Map(
    listed.flatMap(({ name, partitions }) =>
      partitions.map(({ partitionIndex, offset }) => [`${name}:${partitionIndex}`, Number(offset)] as const),
    ),
  )
}

const numbers = (count: number): number[] => Array.from({ length: count }, (_, at) => at)
