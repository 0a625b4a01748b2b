// The colour of a status: one for jobs, instances, steps and tasks, so that failed looks the same everywhere.
import type { Style } from "./paint.ts"

const STYLES: Readonly<Record<string, Style>> = {
  ACTIVE: "cyan",
  CANCELLED: "yellow",
  COMPLETED: "green",
  DELAYED: "yellow",
  FAILED: "red",
  HELD: "yellow",
  LEASED: "cyan",
  OPEN: "cyan",
  RUNNING: "cyan",
  SKIPPED: "dim",
  WAITING: "yellow",
}

export const statusStyle = (status: string): Style | undefined => STYLES[status]
