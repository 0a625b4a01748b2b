// Loads the engine only for the commands that run it: `millrace --help` need not wait for it.
import type { StartEngine } from "./serve.ts"

export async function loadEngine(): Promise<StartEngine> {
  const { startEngine } = await import("../../engine.ts")
  return startEngine
}
