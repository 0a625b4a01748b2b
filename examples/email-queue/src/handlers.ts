// What the queue can do: a plain function for each type of job. What it returns is the result, what it throws is the failure.
import { type JobCall, job, NonRetryableError } from "millrace"

export interface Email {
  readonly to: string
  /** How often the mail server is busy before it takes it. */
  readonly busyFor?: number
}

export const sendEmail = job("send_email", async ({ payload, attempt }: JobCall<Email>) => {
  if (!payload.to.includes("@")) throw new NonRetryableError(`${payload.to} is no address`) // another try would not help
  if (attempt <= (payload.busyFor ?? 0)) throw new Error("the mail server is busy") // tried again, ever later
  return { sent: true, to: payload.to }
})

export const generateReport = job("generate_report", async ({ key }: JobCall<{ readonly month: string }>) => ({
  report_id: `report-${key}`, // the same at every attempt: a report is not made twice
}))

/** Old clients still submit these. An error is better than a job that waits for ever for a worker that does not run. */
export const sendFax = job("send_fax", ({ payload }) => {
  throw new NonRetryableError(`unknown type ${payload.type}`)
})

export const handlers = [sendEmail, generateReport, sendFax]
