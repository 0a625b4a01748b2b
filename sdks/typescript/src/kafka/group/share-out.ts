// Shares out the partitions of a group's topics: each to a member that reads its topic, and to each member about as many.
// The client's own gives every member partitions of the topics that the leader of the group reads, and none of the others.
import type { GroupPartitionsAssigner } from "@platformatic/kafka"

export const shareOut: GroupPartitionsAssigner = (...[, members, , metadata]) => {
  const shares = [...members.values()]
    .map(({ memberId, topics = [] }) => ({ memberId, topics, count: 0, partitions: new Map<string, number[]>() }))
    .sort((one, other) => (one.memberId < other.memberId ? -1 : 1))
  for (const [topic, { partitionsCount }] of metadata.topics) {
    const readers = shares.filter(({ topics }) => topics.includes(topic))
    for (let partition = 0; partition < partitionsCount && readers.length > 0; partition++) {
      const least = readers.reduce((one, other) => (other.count < one.count ? other : one))
      least.count += 1
      least.partitions.set(topic, [...(least.partitions.get(topic) ?? []), partition])
    }
  }
  return shares.map(({ memberId, partitions: given }) => ({
    memberId,
    assignments: new Map([...given].map(([topic, partitions]) => [topic, { topic, partitions }])),
  }))
}
