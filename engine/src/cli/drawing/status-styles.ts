// The colour of a status: one for jobs, instances, steps and tasks, so that failed looks the same everywhere.
import type { Style } from "./paint.ts"

const STYLES: Readonly<Record<string, Style>> = {
  ACTIVE: "cyan",
  CANCELLED: "yellow",
  COMPLETED: "green",
  FAILED: "red",
  OPEN: "cyan",
  RUNNING: "cyan",
  SKIPPED: "dim",
  WAITING: "yellow",
}

export const statusStyle = (status: string): Style | undefined => STYLES[status]
