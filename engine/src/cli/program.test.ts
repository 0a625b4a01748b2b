// The help of every command, at a terminal of 80 columns.
import { expect, test } from "vitest"
import { EVERY_COMMAND, OPERATOR_GROUPS } from "./operator-groups.ts"
import { createProgram } from "./program.ts"
import type { Surroundings } from "./terminal/surroundings.ts"
import { runCommand } from "./test-support/run-command.ts"

test.each(["", "dev", "start", "work", "keys", "completion", ...Object.keys(OPERATOR_GROUPS)])(
  "millrace %s --help fits 80 columns",
  async (command) => {
    const { code, out } = await runCommand([...(command === "" ? [] : [command]), "--help"])
    expect(code).toBe(0)
    expect(out.split("\n").filter((line) => line.length > 80)).toEqual([])
  },
)

test("every command of every group says what it does", async () => {
  const nowhere = { write: () => {} }
  const around = { version: "0", screen: nowhere, terminal: nowhere } as unknown as Surroundings
  const program = await createProgram(around, EVERY_COMMAND)
  const groups = program.commands.filter(({ commands }) => commands.length > 0)
  expect(groups.length).toBeGreaterThan(Object.keys(OPERATOR_GROUPS).length)
  const mute = groups.flatMap(({ commands }) => commands).filter((command) => command.description() === "")
  expect(mute.map((command) => command.name())).toEqual([])
})
