// `--watch`: drawn again in place, until it is told to stop, over an engine that may come and go.
import { EventEmitter } from "node:events"
import { expect, test } from "vitest"
import { runCommand } from "../test-support/run-command.ts"
import { useTerminal } from "../test-support/use-terminal.ts"
import { watch } from "./watch.ts"

const { engine } = useTerminal()

function screen(isTTY: boolean, frames: number) {
  const signals = new EventEmitter()
  const written: string[] = []
  const write = (text: string) => {
    written.push(text)
    if (written.length === frames) signals.emit("SIGINT")
  }
  return { signals, written, screen: { isTTY, rows: 5, columns: 80, write } }
}

test("each picture is written over the last, and the last stays when it ends", async () => {
  const { signals, written, screen: on } = screen(true, 3)
  let n = 0
  await watch({ screen: on, signals, everyMs: 1, draw: async () => [`picture ${++n}`, "second line"] })
  const [enter, first, second, leave] = written
  expect(enter).toBe("\u001b[?1049h\u001b[?25l\u001b[?7l")
  expect(first).toBe("\u001b[Hpicture 1\u001b[K\nsecond line\u001b[K\n\u001b[J")
  expect(second).toContain("picture 2")
  expect(leave).toBe("\u001b[?7h\u001b[?25h\u001b[?1049lpicture 2\nsecond line\n")
  expect(signals.eventNames()).toEqual([])
})

test("a picture that is higher than the terminal is cut, and says so", async () => {
  const { signals, written, screen: on } = screen(true, 2)
  await watch({ screen: on, signals, everyMs: 1, draw: async () => ["1", "2", "3", "4", "5", "6"] })
  expect(written[1]).toBe("\u001b[H1\u001b[K\n2\u001b[K\n3\u001b[K\n… 3 more lines\u001b[K\n\u001b[J")
})

test("a failure that is nobody's gives the terminal back", async () => {
  const { signals, written, screen: on } = screen(true, 99)
  const draw = () => Promise.reject(new Error("our bug"))
  await expect(watch({ screen: on, signals, everyMs: 1, draw })).rejects.toThrow("our bug")
  expect(written.at(-1)).toContain("\u001b[?1049l")
})

const GOOD = { body: { critical: 60, high: 30, normal: 10, source: "config" } }
const AWAY = { status: 503, body: { error: "unavailable", message: "the database is away", requestId: "r" } }

test("an engine that is away for a while is shown as away, and seen again", async () => {
  const answers = [GOOD, AWAY, GOOD]
  engine.answers = { "GET /queues/weights": () => answers.shift() ?? GOOD }
  let pictures = 0
  const { code, out } = await runCommand(["weights", "--watch"], {
    env: { WE_URL: engine.url, NO_COLOR: "1" },
    columns: 80,
    onWrite: (text, signals) => {
      if (text.startsWith("\u001b[H") && ++pictures === 3) signals.emit("SIGTERM")
    },
  })
  expect(code).toBe(0)
  const frames = out.split("\u001b[H").slice(1)
  expect(frames[0]).toContain("60 %")
  expect(frames[1]).toContain("the database is away")
  expect(frames[2]).toContain("60 %")
})

test("one that is not there to begin with is an error, not a picture", async () => {
  engine.answers = { "GET /queues/weights": AWAY }
  const { code, out, err } = await runCommand(["weights", "--watch"], { env: { WE_URL: engine.url }, columns: 80 })
  expect({ code, out, err }).toEqual({ code: 1, out: "", err: "the database is away" })
})

test("with --json every picture is a document on a line of its own", async () => {
  engine.answers = { "GET /queues/weights": GOOD }
  let lines = 0
  const { out } = await runCommand(["weights", "--watch", "--json"], {
    env: { WE_URL: engine.url },
    columns: 80,
    onWrite: (_, signals) => {
      if (++lines === 2) signals.emit("SIGINT")
    },
  })
  expect(
    out
      .trim()
      .split("\n")
      .map((line) => JSON.parse(line)),
  ).toEqual([GOOD.body, GOOD.body])
})
