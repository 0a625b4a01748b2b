// Command lines of any words: a command answers, or says what is wrong with it; it never crashes.
import fc from "fast-check"
import { expect, test } from "vitest"
import { OPERATOR_GROUPS } from "./operator-groups.ts"
import { runCommand } from "./test-support/run-command.ts"

/** No engine listens here: what is read correctly ends at the door. */
const env = { WE_URL: "http://127.0.0.1:1", WE_API_KEY: "mill_x" }
const CODES = [0, 1, 2, 3]

const group = fc.constantFrom(...Object.keys(OPERATOR_GROUPS))
const verb = fc.constantFrom(
  "list",
  "get",
  "create",
  "start",
  "cancel",
  "retry",
  "show",
  "delete",
  "replay",
  "set",
  "pause",
  "resume",
)
const flag = fc.constantFrom(
  "--json",
  "--limit",
  "--page-size",
  "--status",
  "--type",
  "--reason",
  "--input",
  "--all",
  "--yes",
  "--dry-run",
  "-x",
  "--",
)
const odd = fc.constantFrom(
  "",
  " ",
  "-1",
  "0",
  "1e9",
  "9007199254740993",
  "{",
  "[]",
  '{"a":1}',
  "@",
  "=",
  "a=b",
  "\0",
  "😀",
  "../x",
  "PT0S",
  "--limit=x",
  "\u001b[31m",
)
const word = fc.oneof(verb, flag, odd, fc.string({ maxLength: 8 }))
const line = fc.tuple(group, fc.array(word, { maxLength: 6 })).map(([first, rest]) => [first, ...rest])

test("any words after a group are answered with a code of the command line, and a refusal says something", async () => {
  await fc.assert(
    fc.asyncProperty(line, async (argv) => {
      const { code, out, err } = await runCommand(argv, { env, input: "" })
      expect(CODES, argv.join(" ")).toContain(code)
      if (code !== 0) expect(out + err, argv.join(" ")).not.toBe("")
      expect(out + err).not.toMatch(/TypeError|RangeError|node_modules|\bat \S+:\d+:\d+/)
    }),
    { numRuns: 400 },
  )
})
