// Passes on what a child process writes, line by line: a line is never broken by that of another process.
import type { Readable } from "node:stream"

export function wholeLines(from: Readable, to: { write(lines: string): unknown }): void {
  let begun = ""
  from.setEncoding("utf8")
  from.on("data", (text: string) => {
    const lines = (begun + text).split("\n")
    begun = lines.pop() as string
    for (const line of lines) to.write(`${line}\n`)
  })
  from.on("end", () => {
    if (begun !== "") to.write(`${begun}\n`)
  })
}
