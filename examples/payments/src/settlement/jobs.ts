// The jobs of the worker: charge a payment, and give a refund. Each may run again at any time; the key makes it one charge.
import { type JobCall, job, type Mill } from "millrace"
import type { Db } from "../payments/database.ts"
import { findPayment } from "../payments/payments.ts"
import { conclude, conclusionOf } from "./conclude.ts"
import { chargeKeyOf, REFUND, SETTLE, type Settlement } from "./job-names.ts"
import type { Provider } from "./provider.ts"

export interface Till {
  readonly db: Db
  readonly mill: Mill
  readonly provider: Provider
  readonly retries: Retries
}

export interface Retries {
  readonly most: number
  /** 2 s: then 4, 8, 16, 32. */
  readonly baseMs: number
  /** How long one attempt may take: longer than the provider's time-out. */
  readonly attemptMs: number
}

export const workOf = (till: Till) => [settleJob(till), refundJob(till)]

/** The payment stays PROCESSING from attempt to attempt: a retry is no transition, so none is refused. */
const settleJob = (till: Till) =>
  job(
    SETTLE,
    async ({ payload, signal }: JobCall<Settlement>) => {
      const charge = await till.provider.charge(payload, signal)
      const isOurs = await conclude(till.db, payload, conclusionOf(charge))
      return { status: charge.status, isOurs }
    },
    policyOf(till.retries),
  )

const refundJob = (till: Till) =>
  job(
    REFUND,
    async ({ payload, signal }: JobCall<{ readonly paymentId: string }>) => {
      const payment = await findPayment(till.db, payload.paymentId)
      if (payment) await till.provider.refund(chargeKeyOf(payment), signal)
      return {}
    },
    { ...policyOf(till.retries), retries: 20 },
  )

const policyOf = ({ most, baseMs, attemptMs }: Retries) => ({
  retries: most,
  retry: { base: baseMs, factor: 2, cap: baseMs * 2 ** most, jitter: "none" } as const,
  timeout: attemptMs,
})
