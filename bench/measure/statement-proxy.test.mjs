// What the proxy counts as a statement, byte by byte.
import assert from "node:assert/strict"
import { test } from "node:test"
import { frontendReader } from "./statement-proxy.mjs"

const STARTUP = Buffer.from([0, 0, 0, 8, 0, 3, 0, 0])

function message(type, ...strings) {
  const body = Buffer.from(strings.map((text) => `${text}\0`).join(""))
  const header = Buffer.alloc(5)
  header.write(type)
  header.writeInt32BE(body.length + 4, 1)
  return Buffer.concat([header, body])
}

function statementsIn(...messages) {
  const seen = []
  const read = frontendReader((text) => seen.push(text.trim()))
  for (const byte of Buffer.concat([STARTUP, ...messages])) read(Buffer.from([byte]))
  return seen
}

test("a simple query counts once per statement, semicolons in quotes and bodies aside", () => {
  const text = "select ';'; do $x$ begin; end $x$; -- a;b\nselect 2"
  assert.deepEqual(statementsIn(message("Q", text)), ["select ';'", "do $x$ begin; end $x$", "-- a;b\nselect 2"])
})

test("a prepared statement counts each time it is executed, not when it is parsed or bound", () => {
  const bindAndExecute = [message("B", "", "named"), message("E", "")]
  assert.deepEqual(statementsIn(message("P", "named", "select 1"), ...bindAndExecute, ...bindAndExecute), [
    "select 1",
    "select 1",
  ])
})
