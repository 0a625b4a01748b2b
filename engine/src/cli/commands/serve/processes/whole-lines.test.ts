import { PassThrough } from "node:stream"
import { expect, test } from "vitest"
import { wholeLines } from "./whole-lines.ts"

test("lines are passed on whole, wherever the chunks break, and the last one without its end", async () => {
  const from = new PassThrough()
  const written: string[] = []
  wholeLines(from, { write: (line) => written.push(line) })
  const bytes = Buffer.from("first\nsécond\nlast")
  from.write(bytes.subarray(0, 8))
  from.write(bytes.subarray(8, 9))
  from.end(bytes.subarray(9))
  await new Promise((resolve) => from.once("close", resolve))
  expect(written).toEqual(["first\n", "sécond\n", "last\n"])
})
