// Where a member of a group begins to read: behind what the group has committed, or at the first message there is.
import type { Consumer, GroupAssignment } from "@platformatic/kafka"

export interface StartPosition {
  readonly topic: string
  readonly partition: number
  readonly from: bigint
  /** The group had committed an offset that the partition does not have: messages were removed, or the topic was made anew. */
  readonly isReset: boolean
}

const EARLIEST = -2n
const LATEST = -1n

export async function startPositions(
  consumer: Consumer,
  assignments: readonly GroupAssignment[],
): Promise<StartPosition[]> {
  if (assignments.length === 0) return []
  const topics = assignments.map(({ topic }) => topic)
  const [committed, first, end] = await Promise.all([
    consumer.listCommittedOffsets({ topics: [...assignments] }),
    consumer.listOffsets({ topics, timestamp: EARLIEST }),
    consumer.listOffsets({ topics, timestamp: LATEST }),
  ])
  return assignments.flatMap(({ topic, partitions }) =>
    partitions.map((partition) => {
      const at = (offsets: ReadonlyMap<string, bigint[]>) => offsets.get(topic)?.[partition] ?? -1n
      return { topic, partition, ...choose(at(committed), at(first), at(end)) }
    }),
  )
}

function choose(committed: bigint, first: bigint, end: bigint): Pick<StartPosition, "from" | "isReset"> {
  if (committed < 0n) return { from: first, isReset: false }
  const isThere = committed >= first && committed <= end
  return { from: isThere ? committed : first, isReset: !isThere }
}
