// Holds the singleton loops and the time still, so that a test runs them by hand, when it wants and as often as it wants.

import { LeaseSweeper } from "../operations/jobs/end/sweep-leases.ts"
import type { Kernel } from "../operations/kernel/kernel.ts"
import type { ProveTerm } from "../operations/kernel/loops.ts"
import { LOOPS, PUSH_LOOPS, RETURN_LOOP } from "../operations/kernel/loops.ts"
import { stopClock } from "./database-clock.ts"

/** For a loop that a test runs itself: it needs no term. */
export const noTerm: ProveTerm = async () => {}

/**
 * From here on nothing happens by itself. Another process leads every loop for ever: what an old leader has under way is
 * refused by its term. And the clock stands still, so that nothing falls due while a slow machine is at work.
 */
export async function holdLoops(kernel: Kernel): Promise<void> {
  const { db } = kernel
  for (const loop of [...LOOPS, ...PUSH_LOOPS, RETURN_LOOP]) {
    await db.script(
      `insert into millrace.leaders (name, holder, term, until) values ('${loop}', 'the test', 1000, 'infinity')
       on conflict (name) do update set holder = excluded.holder, term = excluded.term, until = excluded.until`,
    )
  }
  await stopClock(kernel)
}

/** Takes back every lease that has ended, as the reaper would. */
export async function sweepAll(kernel: Kernel): Promise<void> {
  const sweeper = new LeaseSweeper(kernel)
  while (await sweeper.sweep(noTerm));
  // The engine's own loop may have taken one of them, and not committed yet: its lock is waited for.
  await kernel.db.script(
    "select from millrace.jobs where status = 'leased' and lease_until < millrace.clock() for share",
  )
}
