// What a command has around it: the environment, where its words go, and who can be asked.
import type { Readable } from "node:stream"
import type { Signals } from "./run-until-stopped.ts"

/** Where tables are drawn: the width and the colours are those of a terminal, or there are none. */
export interface Screen {
  write(text: string): unknown
  readonly isTTY?: boolean
  readonly columns?: number
  readonly rows?: number
}

export interface Surroundings {
  readonly version: string
  readonly env: NodeJS.ProcessEnv
  /** One text on stdout, with a line break after it. */
  readonly print: (text: string) => void
  readonly screen: Screen
  /** For people, beside the output. */
  readonly terminal: Screen
  readonly input: Readable & { readonly isTTY?: boolean }
  readonly force: () => void
  readonly signals?: Signals
  /** Between two pictures of `--watch`. */
  readonly redrawMs?: number
  /** Milliseconds since the process began. */
  readonly elapsedMs: () => number
}
