// The processor: runs what is due, stops in time, and says how much it was. A schedule, a cron or a Lambda calls it.
import { job, type Mill } from "millrace"
import * as steps from "./steps.ts"

export interface Answer {
  readonly statusCode: 200
  readonly processed: number
}

/** In milliseconds: when the platform ends it, or a function that says what is left; and what is kept in reserve. */
export interface Limits {
  readonly deadline: number | (() => number)
  readonly reserve: number
  readonly concurrency: number
}

export const LIMITS: Limits = { deadline: 300_000, reserve: 30_000, concurrency: 4 }

export async function processQueue(mill: Mill, limits: Partial<Limits> = {}): Promise<Answer> {
  const { processed } = await mill.drain(Object.values(steps), { ...LIMITS, ...limits })
  return { statusCode: 200, processed }
}

/** What the schedule starts, by the clock or by hand: there is one way in. */
export const refresh = (mill: Mill, limits: Partial<Limits>, tell: (answer: Answer) => unknown) =>
  job("refresh", async () => {
    const answer = await processQueue(mill, limits)
    await tell(answer)
    return { ...answer }
  })
