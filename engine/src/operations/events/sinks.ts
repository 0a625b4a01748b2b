// The sinks in the hands of an operator: how each stands and who sends to it; one that is no longer wanted is forgotten.
import {
  deleteSink,
  findSinkLeader,
  listRelays,
  noteEvents,
  type RelayState,
} from "../../store/events/operator-sinks.ts"
import { listSinks as listRows, lockSink, type SinkKind, type SinkState } from "../../store/events/sinks.ts"
import { setLockTimeout } from "../../store/kernel/lock-timeout.ts"
import { conflict, notFound } from "../../support/errors.ts"
import { isoTime } from "../../support/iso-time.ts"
import type { Operator } from "../flow/change-live.ts"
import { type Done, once } from "../kernel/idempotency.ts"
import type { Kernel } from "../kernel/kernel.ts"

export interface SinkView {
  readonly name: string
  readonly kind: SinkKind
  /** Everything up to this place was sent, is parked, or is not for this sink. */
  readonly place: number
  /** Events behind it, at most. */
  readonly depth: number
  /** Age of the oldest of them. */
  readonly lagSeconds: number
  readonly parked: number
  readonly perSecond: number
  /** The process whose relay sends to it; none while no process can, or the next one has not taken over yet. */
  readonly leader?: string
  readonly createdAt: string
  readonly movedAt?: string
  /** How often in a row it took nothing, and why. */
  readonly failures: number
  readonly lastError?: string
  readonly retryAt?: string
}

export async function listSinks({ db }: Kernel): Promise<readonly SinkView[]> {
  const [sinks, relays] = await Promise.all([listRows(db), listRelays(db)])
  const byName = new Map(relays.map((relay) => [relay.name, relay]))
  return sinks.flatMap((sink) => viewOf(sink, byName.get(sink.name)))
}

/** None for a sink that came or went between the two looks. */
function viewOf(sink: SinkState, relay: RelayState | undefined): SinkView[] {
  if (!relay) return []
  const { name, kind, depth, parked, failures, lag_seconds, moved_at, last_error, retry_at } = sink
  return [
    {
      name,
      kind,
      place: relay.after_seq,
      depth: Math.max(0, depth),
      lagSeconds: lag_seconds,
      parked,
      perSecond: relay.per_second,
      ...(relay.holder === null ? {} : { leader: relay.holder }),
      createdAt: isoTime(relay.created_at),
      ...(moved_at === null ? {} : { movedAt: isoTime(moved_at) }),
      failures,
      ...(last_error === null ? {} : { lastError: last_error }),
      ...(retry_at === null ? {} : { retryAt: isoTime(retry_at) }),
    },
  ]
}

export interface Forgetting {
  readonly name: string
  readonly reason: string
  /** Although a relay sends to it: that relay has nothing to do from then on, until its process starts anew. */
  readonly force: boolean
}

/** Its position and its parked events are gone, and it keeps no event any more. One of the same name begins anew. */
export function forgetSink(
  kernel: Kernel,
  { actor, requestKey }: Operator,
  { name, reason, force }: Forgetting,
): Promise<Done<void>> {
  return kernel.db.transaction((tx) =>
    once(tx, requestKey, async () => {
      const [, place, leader] = await Promise.all([setLockTimeout(tx), lockSink(tx, name), findSinkLeader(tx, name)])
      if (place === undefined) throw notFound(`there is no sink ${name.slice(0, 200)}`)
      if (leader !== undefined && !force)
        throw conflict(`the process ${leader} sends to the sink ${name}: stop it first, or say force`)
      deleteSink(tx, name)
      noteEvents(tx, { actor, kind: "sink-forgotten", name, detail: { reason, place, ...(leader ? { leader } : {}) } })
    }),
  )
}
