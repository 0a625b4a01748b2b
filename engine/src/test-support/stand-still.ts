// Time that stands still while a change goes round: it is answered when every living process has read it, however slow they are.
import { vi } from "vitest"
import type { Kernel } from "../operations/kernel/kernel.ts"
import { startClock, stopClock } from "./database-clock.ts"

/**
 * An answer waits for the other processes for three seconds by this process's clock, and one that is silent for five seconds by the
 * database's is no living one. Both clocks stand still, so that a slow machine does not cut the waiting short. Returns what lets them go on.
 */
export async function standStill(kernel: Kernel): Promise<() => Promise<void>> {
  await stopClock(kernel)
  const now = performance.now()
  const clock = vi.spyOn(performance, "now").mockReturnValue(now)
  return () => {
    clock.mockRestore()
    return startClock(kernel)
  }
}
