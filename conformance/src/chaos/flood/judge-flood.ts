// What must hold for each job of a flood: what its caller and its workers were told, against what the database holds.
import type { Delivery } from "./deliveries.ts"
import { readToken } from "./deliveries.ts"

/** Of a job that has ended. Tokens are `<epoch>.<uuid>`. */
export interface EndedRow {
  readonly n: number
  readonly id: string
  readonly status: string
  /** Of the report that ended it, and what that report said its token was. */
  readonly token: string
  readonly result: string | null
  /** Of the deliveries that were lost. */
  readonly lost: readonly string[] | null
}

export interface Evidence {
  readonly n: number
  /** What its caller was told; undefined when there never was an answer. */
  readonly id: string | undefined
  /** By epoch. */
  readonly deliveries: readonly Delivery[]
  readonly rows: readonly EndedRow[]
  /** Whether the claim of a delivery may have been taken back by a power cut. */
  readonly mayBeTakenBack: (delivery: Delivery) => boolean
}

/** Violations in words; empty when everything holds. */
export function judgeJob(evidence: Evidence): string[] {
  const { n, id, rows } = evidence
  const [row] = rows
  return [
    ...(id === undefined ? [`S2: job ${n} was asked for, and nobody ever said whether it is there`] : []),
    ...(rows.length > 1
      ? [`S3, S4: job ${n} has ended ${rows.length} times: ${rows.map((one) => one.id).join(", ")}`]
      : []),
    ...judgeVerdicts(evidence),
    ...(row ? judgeEnd(evidence, row) : [`S1: job ${n} was acknowledged as ${id} and is lost`]),
  ]
}

/** Whatever the database holds: each report has its verdict, and one at most was accepted. */
function judgeVerdicts({ n, deliveries }: Evidence): string[] {
  const accepted = deliveries.filter(({ verdict }) => verdict === "accepted")
  const doubled = accepted.map(({ epoch }) => epoch).join(" and ")
  return [
    ...(accepted.length > 1 ? [`S7, S8: job ${n} was completed by deliveries ${doubled}`] : []),
    ...deliveries.flatMap(({ epoch, verdict }) => {
      if (verdict === "none") return [`S2: nobody ever said what became of the report on delivery ${epoch} of job ${n}`]
      return verdict === "unknown"
        ? [`S1: a report on delivery ${epoch} of job ${n} was told that there is no such job`]
        : []
    }),
  ]
}

function judgeEnd(evidence: Evidence, row: EndedRow): string[] {
  const { n, id, deliveries } = evidence
  const holder = deliveries.find((delivery) => isOf(delivery, row.token))
  return [
    ...(id !== undefined && id !== row.id ? [`S3: job ${n} was acknowledged as ${id}, and is ${row.id}`] : []),
    ...(row.status === "COMPLETED" ? [] : [`S4: job ${n} is ${row.status}`]),
    ...(row.result === row.token
      ? []
      : [`S7: job ${n} was completed by ${row.token}, and has the result of ${row.result}`]),
    ...(holder ? [] : [`S8: job ${n} was completed by ${row.token}, and no worker did that`]),
    ...deliveries.flatMap((delivery) => (delivery === holder ? [] : judgeOther(evidence, row, delivery))),
    ...judgeLeases(evidence),
  ]
}

/** A delivery that did not end the job: it was not accepted, and the database knows that it was lost. */
function judgeOther({ n, mayBeTakenBack }: Evidence, row: EndedRow, delivery: Delivery): string[] {
  const isKnown = row.lost?.some((token) => isOf(delivery, token)) ?? false
  return [
    ...(delivery.verdict === "accepted"
      ? [`S7: the report on delivery ${delivery.epoch} of job ${n} was accepted, but ${row.token} ended it`]
      : []),
    ...(isKnown || mayBeTakenBack(delivery)
      ? []
      : [`S6: delivery ${delivery.epoch} of job ${n} is not known to the database`]),
  ]
}

/** Nobody was given a job while it was leased to another. */
function judgeLeases({ n, deliveries, mayBeTakenBack }: Evidence): string[] {
  return deliveries.flatMap((delivery, at) => {
    const next = deliveries[at + 1]
    if (!next || next.claimedAt >= delivery.until || mayBeTakenBack(delivery)) return []
    return [`S6: job ${n} was delivered as ${next.epoch} while delivery ${delivery.epoch} was leased`]
  })
}

/** Reported by a worker when another one had the job already; the engine must not accept it. */
export function isStale(delivery: Delivery, { deliveries, mayBeTakenBack }: Evidence): boolean {
  return deliveries.some(
    (other) => other.epoch > delivery.epoch && other.claimedAt < delivery.reportedAt && !mayBeTakenBack(other),
  )
}

function isOf({ epoch, secret }: Delivery, token: string): boolean {
  const other = readToken(token)
  return other.epoch === epoch && other.secret === secret
}
