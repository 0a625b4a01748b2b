// A limit on the time of one answer: a request that is not done by then is answered with a retry later, while its work may go on.
import { EngineError } from "../../support/errors.ts"

export function withDeadline<T>(work: () => Promise<T>, ms: number): Promise<T> {
  return new Promise((resolve, reject) => {
    const late = () =>
      reject(new EngineError("unavailable", "this took too long; send it again, with the same Idempotency-Key"))
    const timer = setTimeout(late, ms)
    work()
      .then(resolve, reject)
      .finally(() => clearTimeout(timer))
  })
}
