// A lane as the runner holds it: a process of its own, because a mutant may loop for ever.
import { type ChildProcess, fork } from "node:child_process"
import { once } from "node:events"
import { fileURLToPath } from "node:url"
import type { Found, Order } from "./verdict.ts"

const PROGRAM = fileURLToPath(new URL("../mutants.mjs", import.meta.url))
/** For one mutant. A test file gives up on each of its tests before that; only a loop that never waits gets here. */
const LIMIT_MS = 10 * 60_000

export class LaneProcess {
  #child: ChildProcess | undefined

  async judge(order: Order): Promise<Found> {
    this.#child ??= start()
    const child = this.#child
    child.send(order)
    const found = await within(answerOf(child))
    if (found && child.exitCode === null && child.signalCode === null) return found
    this.#child = undefined
    end(child)
    return found ?? { kind: "failed", file: order.tests[0] as string, test: "(did not end)" }
  }

  async close(): Promise<void> {
    const child = this.#child
    this.#child = undefined
    if (!child) return
    child.disconnect()
    await once(child, "exit")
  }
}

async function answerOf(child: ChildProcess): Promise<Found> {
  const over = new AbortController()
  const { signal } = over
  const answered = once(child, "message", { signal }).then(([found]) => found as Found)
  const gone = once(child, "exit", { signal }).then((): Found => ({ kind: "broken", why: "its lane has died" }))
  const first = await Promise.race([answered, gone])
  for (const other of [answered, gone]) other.catch(() => {})
  over.abort()
  return first
}

const start = (): ChildProcess =>
  fork(PROGRAM, [], {
    detached: true,
    stdio: ["ignore", "ignore", "inherit", "ipc"],
    env: { ...process.env, CI: "true", MILLRACE_FULL_TESTS: "1" },
  })

/** With its workers: one of them is in the loop. */
function end(child: ChildProcess): void {
  try {
    if (child.pid) process.kill(-child.pid, "SIGKILL")
  } catch {
    // All of them have ended by themselves.
  }
}

function within(found: Promise<Found>): Promise<Found | undefined> {
  let timer: NodeJS.Timeout | undefined
  const limit = new Promise<undefined>((resolve) => {
    timer = setTimeout(() => resolve(undefined), LIMIT_MS)
  })
  return Promise.race([found, limit]).finally(() => clearTimeout(timer))
}
