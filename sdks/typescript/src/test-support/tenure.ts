// A tenure of one partition without a broker: a test puts messages into its lane and sees what is committed.
import type { GroupMessage } from "../kafka/group/group-message.ts"
import type { PartitionLane } from "../kafka/group/partition-lane.ts"
import { Tenure } from "../kafka/group/tenure.ts"
import { ManualClock } from "./manual-clock.ts"

interface TestTenure {
  readonly tenure: Tenure
  readonly lane: PartitionLane
  /** Offsets, in order. */
  readonly committed: bigint[]
  readonly failures: unknown[]
  /** Between two commits is a pause. */
  readonly clock: ManualClock
}

interface TestTenureOptions {
  /** Called for every commit before it is answered. */
  readonly onCommit?: () => Promise<void>
}

export function aTenure({ onCommit = async () => {} }: TestTenureOptions = {}): TestTenure {
  const [committed, failures]: [bigint[], unknown[]] = [[], []]
  const commit = async ({ offsets }: { readonly offsets: readonly { readonly offset: bigint }[] }) => {
    committed.push(...offsets.map(({ offset }) => offset))
    await onCommit()
  }
  const clock = new ManualClock()
  const tenure = new Tenure({
    member: { commit } as never,
    fetcher: {} as never,
    positions: [{ topic: "t", partition: 0, from: 0n, isReset: false }],
    clock,
    onFetched: () => {},
    onCommitted: () => {},
    onFailure: (error) => failures.push(error),
  })
  return { tenure, lane: tenure.lanes[0]!, committed, failures, clock }
}

export const aMessage = (n: number, key: string | null = `k${n}`): GroupMessage => ({
  topic: "t",
  partition: 0,
  offset: BigInt(n),
  key,
  value: Buffer.from(`${n}`),
  headers: {},
  writtenAt: 0,
})
