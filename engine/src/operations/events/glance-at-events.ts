// Whether anything was published since the last glance: the last place that was given out, committed or not.
import { readLastSeq } from "../../store/events/events.ts"
import type { Kernel } from "../kernel/kernel.ts"

export const glanceAtEvents = ({ db }: Kernel): Promise<number> => readLastSeq(db)
