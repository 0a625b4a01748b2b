// The side of a child of `millrace start --processes`: what it shares with the others goes through their parent.
import cluster from "node:cluster"
import { DistantStore } from "@millrace/guard"
import type { Membership } from "../../../../engine.ts"
import type { Signals } from "../../../terminal/run-until-stopped.ts"
import type { RunningEngine } from "../serve.ts"
import { type Carrier, Line, type Message } from "./line.ts"
import { PROCESS_NUMBER } from "./process-number.ts"

export interface Joined extends Membership {
  readonly signals: Signals
  /** Tells the parent where it can be reached. */
  running(urls: Omit<RunningEngine, "stop">): Promise<void>
}

/** Undefined in a process that has no such parent. */
export function joinParent(): Joined | undefined {
  const { worker } = cluster
  if (!worker || !process.send) return undefined
  // Node would end this process at once: what is under way is finished first.
  worker.on("disconnect", () => {
    worker.exitedAfterDisconnect = true
  })
  let readMetrics: () => Promise<unknown> = async () => []
  const line = new Line({ send: process.send.bind(process) as Carrier["send"] }, { metrics: () => readMetrics() })
  process.on("message", (message: Message) => line.hear(message))
  process.on("disconnect", () => line.cut("the parent process is gone"))
  return {
    number: Number(process.env[PROCESS_NUMBER]),
    signals: { on: (signal, stop) => each(signal, stop, "on"), off: (signal, stop) => each(signal, stop, "off") },
    guardStore: new DistantStore((call) => line.ask("store", call)),
    metricsOfAll: () => line.ask("metrics") as Promise<string>,
    shareMetrics: (read) => {
      readMetrics = read
    },
    running: async (urls) => void (await line.ask("running", urls)),
  }
}

/** A Ctrl-C reaches every process of the terminal: the parent decides what it means, and says SIGTERM. Without a parent it stops, too. */
function each(signal: NodeJS.Signals, stop: () => void, verb: "on" | "off"): void {
  if (signal !== "SIGTERM") process[verb](signal, ignore)
  else for (const event of ["SIGTERM", "disconnect"]) process[verb](event, stop)
}

const ignore = (): void => {}
