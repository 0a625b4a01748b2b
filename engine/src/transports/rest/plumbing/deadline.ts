// A limit on the time of one answer: what is not done by then is told to come back, whatever it goes on doing.
import { EngineError } from "../../../support/errors.ts"

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
