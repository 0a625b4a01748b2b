// A limit on the time of one answer: a request that is not done by then is answered with a retry later, while its work may go on.
import { EngineError } from "../../support/errors.ts"

export function withDeadline<T>(work: () => Promise<T>, ms: number): Promise<T> {
  return new Promise((resolve, reject) => {
    const late = () =>
      reject(new EngineError("unavailable", "this took too long; send it again, with the same Idempotency-Key"))
    const timer = setTimeout(late, ms)
    // Two functions and no `finally`: every request has one of these, and each further promise cost it.
    work().then(
      (value) => {
        clearTimeout(timer)
        resolve(value)
      },
      (error) => {
        clearTimeout(timer)
        reject(error)
      },
    )
  })
}
