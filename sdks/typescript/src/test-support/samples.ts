// Jobs, refusals and a quiet logger for tests.

import type { Logger } from "../calls/logger.ts"
import type { Job } from "../client/job-types.ts"
import type { Reply } from "./scripted-engine.ts"

let made = 0

export function sampleJob(fields: Partial<Job> = {}): Job {
  const n = ++made
  return {
    id: `job-${n}`,
    jobType: "charge-card",
    instanceId: `instance-${n}`,
    stepId: "charge",
    stepExecutionId: `execution-${n}`,
    definitionId: "order",
    variables: { amount: 42 },
    attempt: 1,
    retriesRemaining: 2,
    lockExpiresAt: "2025-01-01T00:00:30.000Z",
    leaseToken: `1-token-${n}`,
    priority: "normal",
    idempotencyKey: `key-${n}`,
    ...fields,
  }
}

export const refusal = (status: number, error: string, headers: Record<string, string> = {}): Reply => ({
  status,
  headers,
  body: { error, message: `because of ${error}`, requestId: "request-1" },
})

/** A list that a test can wait on. */
export class Tally<T> {
  readonly items: T[] = []
  #watchers: (() => void)[] = []

  add(item: T): void {
    this.items.push(item)
    for (const check of this.#watchers) check()
  }

  /** Resolves when it holds `n` items. */
  reach(n: number): Promise<void> {
    return this.until(() => this.items.length >= n)
  }

  until(condition: () => boolean): Promise<void> {
    return new Promise((resolve) => {
      const check = () => (condition() ? resolve() : undefined)
      this.#watchers.push(check)
      check()
    })
  }
}

interface LogLine {
  readonly level: string
  readonly message: string
  readonly fields: Readonly<Record<string, unknown>>
}

export interface RecordingLogger extends Logger {
  readonly lines: readonly LogLine[]
  /** Resolves when this message was logged. */
  heard(message: string): Promise<void>
}

export function recordingLogger(): RecordingLogger {
  const lines = new Tally<LogLine>()
  const line = (level: string) => (fields: Readonly<Record<string, unknown>>, message: string) =>
    lines.add({ level, message, fields })
  return {
    lines: lines.items,
    heard: (message) => lines.until(() => lines.items.some((logged) => logged.message === message)),
    debug: line("debug"),
    info: line("info"),
    warn: line("warn"),
    error: line("error"),
  }
}

/** A promise and its handles. */
export function deferred<T = void>(): { promise: Promise<T>; resolve: (value: T) => void } {
  let resolve: (value: T) => void = () => {}
  const promise = new Promise<T>((r) => {
    resolve = r
  })
  return { promise, resolve }
}
