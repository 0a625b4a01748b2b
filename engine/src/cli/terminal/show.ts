// How a command shows what it has read: as a picture or as one JSON document, once or every second.
import type { Command } from "commander"
import { CommandError } from "../command-error.ts"
import { jsonText } from "../drawing/cell-text.ts"
import { painterFor } from "../drawing/paint.ts"
import type { Canvas } from "../drawing/table.ts"
import type { Surroundings } from "./surroundings.ts"
import { watch } from "./watch.ts"

export interface ShowOptions {
  readonly json?: boolean
  readonly watch?: boolean
}

type Draw<T> = (data: T, canvas: Canvas) => readonly string[]

interface Shown<T> {
  readonly read: () => Promise<T>
  readonly draw: Draw<T>
}

export const withJson = (command: Command): Command => command.option("--json", "one JSON document, for programs")
export const withShow = (command: Command): Command =>
  withJson(command).option("-w, --watch", "draw it again every second, until Ctrl-C")

export const canvasOf = ({ screen, env }: Surroundings): Canvas => ({
  width: screen.isTTY ? (screen.columns ?? 80) : undefined,
  paint: painterFor(screen, env),
})

export async function show<T>(around: Surroundings, options: ShowOptions, { read, draw }: Shown<T>): Promise<void> {
  const first = await read()
  if (!options.watch) return say(around, options, first, draw)
  const { screen, signals = process, redrawMs } = around
  const ahead = [first]
  const lines = (data: T) => (options.json ? [jsonText(data)] : draw(data, canvasOf(around)))
  const failed = (message: string) => (options.json ? [jsonText({ error: message })] : message.split("\n"))
  await watch({
    // One document a line: a program reads them as they come.
    screen: options.json ? { write: (text) => screen.write(text) } : screen,
    signals,
    everyMs: redrawMs,
    draw: async () => {
      try {
        return lines(ahead.pop() ?? (await read()))
      } catch (error) {
        // An engine that restarts is no reason to stop watching it.
        if (error instanceof CommandError) return failed(error.message)
        throw error
      }
    },
  })
}

/** What was done, or what there is: drawn for people, or as it came for programs. */
export function say<T>(around: Surroundings, { json }: ShowOptions, data: T, draw: Draw<T>): void {
  if (json) around.print(jsonText(data, 2))
  else for (const line of draw(data, canvasOf(around))) around.print(line)
}
