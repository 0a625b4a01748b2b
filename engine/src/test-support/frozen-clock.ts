// A database whose clock stands still until a test moves it: for what depends on the very moment.
import type { Kernel } from "../operations/kernel/kernel.ts"

/** From here on it is that moment in the whole database; `kernel` is told. */
export async function freezeClock({ db, clock }: Kernel, iso: string): Promise<void> {
  await db.script(`create or replace function millrace.clock() returns timestamptz language sql volatile as
    'select timestamptz ''${iso}'''`)
  clock.observe(Date.parse(iso))
}
