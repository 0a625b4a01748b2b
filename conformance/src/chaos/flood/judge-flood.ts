// What must hold for each job of a flood: what its caller and its workers were told, against what the database holds.
import { type Delivery, readToken } from "./deliveries.ts"

/** A job that has ended. Tokens are `<epoch>.<uuid>`. */
export interface EndedRow {
  readonly n: number
  readonly id: string
  readonly status: string
  /** The token of the report that ended the job. `result` is what that report said its token was. */
  readonly token: string
  readonly result: string | null
  /** The tokens of the deliveries that were lost. */
  readonly lost: readonly string[] | null
}

export interface Evidence {
  readonly n: number
  /** The id that its caller got. Undefined where there never was an answer. */
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
  const ids = rows.map((one) => one.id).join(", ")
  return [
    ...where(id === undefined, `S2: job ${n} was asked for, and nobody ever said whether it is there`),
    ...where(rows.length > 1, `S3, S4: job ${n} has ended ${rows.length} times: ${ids}`),
    ...judgeVerdicts(evidence),
    ...judgeLeases(evidence),
    ...(row ? judgeEnd(evidence, row) : [`S1: job ${n} was acknowledged as ${id} and is lost`]),
  ]
}

const where = (isSo: boolean, violation: string): string[] => (isSo ? [violation] : [])

/** Whatever the database holds: each report has its verdict, and one at most was accepted. */
function judgeVerdicts(evidence: Evidence): string[] {
  const { n, deliveries } = evidence
  const accepted = deliveries.filter(({ verdict }) => verdict === "accepted")
  return [
    ...where(accepted.length > 1, `S7, S8: job ${n} was completed by ${accepted.map(nameOf).join(" and ")}`),
    ...deliveries.flatMap((delivery) => {
      const report = `the report on ${nameOf(delivery)} of job ${n}`
      const { verdict } = delivery
      return [
        ...where(verdict === "none", `S2: nobody ever said what became of ${report}`),
        ...where(verdict === "unknown", `S1: ${report} was told that there is no such job`),
        ...where(verdict === "accepted" && isStale(delivery, evidence), `S7: ${report} was accepted, and it was stale`),
      ]
    }),
  ]
}

/** No worker was given a job while it was leased to another. */
function judgeLeases({ n, deliveries, mayBeTakenBack }: Evidence): string[] {
  return deliveries.flatMap((delivery, at) => {
    const next = deliveries[at + 1]
    const isEarly = next !== undefined && next.claimedAt < delivery.until && !mayBeTakenBack(delivery)
    return where(isEarly, `S6: job ${n} was given out again while ${nameOf(delivery)} was leased`)
  })
}

function judgeEnd(evidence: Evidence, row: EndedRow): string[] {
  const { n, id, deliveries } = evidence
  const { token, result, status } = row
  const holder = deliveries.find((delivery) => isOf(delivery, token))
  const others = deliveries.filter((delivery) => delivery !== holder)
  return [
    ...where(id !== undefined && id !== row.id, `S3: job ${n} was acknowledged as ${id}, and is ${row.id}`),
    ...where(status !== "COMPLETED", `S4: job ${n} is ${status}`),
    ...where(result !== token, `S7: job ${n} was completed by ${token}, and has the result of ${result}`),
    ...where(!holder, `S8: job ${n} was completed by ${token}, and no worker did that`),
    ...others.flatMap((delivery) => judgeOther(evidence, row, delivery)),
  ]
}

/** A delivery that did not end the job: it was not accepted, and the database knows that it was lost. */
function judgeOther({ n, mayBeTakenBack }: Evidence, row: EndedRow, delivery: Delivery): string[] {
  const name = `${nameOf(delivery)} of job ${n}`
  return [
    ...where(delivery.verdict === "accepted", `S7: ${name} was accepted, but ${row.token} ended it`),
    ...where(!isKnown(delivery, row) && !mayBeTakenBack(delivery), `S6: the database does not know ${name}`),
  ]
}

const nameOf = ({ epoch }: Delivery): string => `delivery ${epoch}`

/** Whether the database knows the delivery: as the one that ended the job, or as one that was lost. */
export const isKnown = (delivery: Delivery, { token, lost }: EndedRow): boolean =>
  isOf(delivery, token) || (lost?.some((one) => isOf(delivery, one)) ?? false)

/** Reported when another worker had the job already: the engine must not accept it. */
export const isStale = ({ epoch, reportedAt }: Delivery, { deliveries, mayBeTakenBack }: Evidence): boolean =>
  deliveries.some((other) => other.epoch > epoch && other.claimedAt < reportedAt && !mayBeTakenBack(other))

function isOf({ epoch, secret }: Delivery, token: string): boolean {
  const other = readToken(token)
  return other.epoch === epoch && other.secret === secret
}
