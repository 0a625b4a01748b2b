// What Kafka takes as the name of a topic.

const LONGEST = 249

export const isTopicName = (name: string): boolean =>
  name.length <= LONGEST && /^[A-Za-z0-9._-]+$/.test(name) && name !== "." && name !== ".."
