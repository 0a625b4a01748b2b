// The id by which the log lines of a request are found: the caller's own, where it is fit to be logged, or a new one.
import type { Kernel } from "../../operations/kernel/kernel.ts"

const REQUEST_ID = /^[A-Za-z0-9._-]{1,64}$/

export const requestIdOf = (kernel: Pick<Kernel, "newId">, sent: unknown): string =>
  typeof sent === "string" && REQUEST_ID.test(sent) ? sent : kernel.newId()
