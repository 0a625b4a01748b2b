// What the brokers said of each partition of a request that failed: some may have been written all the same.
import { withInner } from "@millrace/sdk/kafka-group"

export type PartitionAnswer =
  | { readonly kind: "written"; readonly baseOffset: bigint }
  | { readonly kind: "too-large" | "refused" | "failed"; readonly reason: string }

export const placeOf = (topic: string, partition: number): string => `${topic}:${partition}`

/** Codes of the protocol that no repetition helps against, and what they mean. */
const REFUSALS: ReadonlyMap<number, string> = new Map([
  [17, "Kafka takes no topic of this name"],
  [29, "the user of Kafka may not write to this topic"],
  [32, "the topic does not take the time of this record"],
  [44, "a policy of the broker refuses it"],
  [87, "the broker refuses it as invalid"],
])
const TOO_LARGE = new Set([10, 18])

interface ProduceAnswer {
  readonly responses: readonly {
    readonly name: string
    readonly partitionResponses: readonly {
      readonly index: number
      readonly errorCode: number
      readonly baseOffset: bigint
    }[]
  }[]
}

/** By place; nothing is known of a partition that is not in it. A later answer counts more than an earlier one. */
export function partitionAnswers(error: unknown): ReadonlyMap<string, PartitionAnswer> {
  const answers = new Map<string, PartitionAnswer>()
  for (const failure of withInner(error)) {
    const { response, produced } = failure as { response?: ProduceAnswer; produced?: { offsets?: readonly Written[] } }
    for (const { topic, partition, offset } of produced?.offsets ?? [])
      answers.set(placeOf(topic, partition), { kind: "written", baseOffset: offset })
    for (const { name, partitionResponses } of response?.responses ?? [])
      for (const { index, errorCode, baseOffset } of partitionResponses)
        answers.set(placeOf(name, index), answerOf(errorCode, baseOffset))
  }
  return answers
}

interface Written {
  readonly topic: string
  readonly partition: number
  readonly offset: bigint
}

function answerOf(errorCode: number, baseOffset: bigint): PartitionAnswer {
  if (errorCode === 0) return { kind: "written", baseOffset }
  if (TOO_LARGE.has(errorCode)) return { kind: "too-large", reason: "it is larger than the topic takes" }
  const refusal = REFUSALS.get(errorCode)
  return refusal ? { kind: "refused", reason: refusal } : { kind: "failed", reason: `the broker answered ${errorCode}` }
}
