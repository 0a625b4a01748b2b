// Makes a kernel: the clock and the ids of one process on one database.
import { randomBytes } from "node:crypto"
import { DatabaseClock } from "../../db/clock.ts"
import { ulidFactory } from "../../support/ids.ts"
import type { Kernel } from "./kernel.ts"

type Given = Pick<Kernel, "db" | "log" | "metrics" | "settings" | "batchMax"> &
  Partial<Pick<Kernel, "nudge" | "clock" | "random">>

export function createKernel({
  clock = new DatabaseClock(),
  random = Math.random,
  nudge = () => {},
  ...given
}: Given): Kernel {
  const processId = `${process.pid}-${randomBytes(6).toString("hex")}`
  return { ...given, processId, clock, random, nudge, newId: ulidFactory(() => clock.nowMs()) }
}
