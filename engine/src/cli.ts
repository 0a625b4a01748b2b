#!/usr/bin/env node
// The `millrace` command: reads the command line, and turns every known failure into one line and exit code 1 or 2.
import { CommanderError } from "commander"
import { CommandError } from "./cli/command-error.ts"
import { explainStartError } from "./cli/explain-start-error.ts"
import { createProgram } from "./cli/program.ts"
import { loadConfig } from "./config.ts"
import { EngineError } from "./support/errors.ts"
import { safeText } from "./support/redact.ts"
import { VERSION } from "./support/version.ts"

/** Ended by a second Ctrl-C, as a shell reports it. */
const FORCED = 130
const CALLED_WRONGLY = 2

async function main(): Promise<void> {
  const argv = process.argv.slice(2)
  // The reader of a pipe may stop early: `millrace queues | head -1` is no failure.
  process.stdout.on("error", () => process.exit())
  try {
    const program = await createProgram(
      {
        version: VERSION,
        env: process.env,
        print: (text) => console.log(text),
        screen: process.stdout,
        terminal: process.stderr,
        input: process.stdin,
        force: () => process.exit(FORCED),
        elapsedMs: () => performance.now(),
      },
      argv,
    )
    await program.parseAsync(argv, { from: "user" })
  } catch (error) {
    process.exitCode = fail(error)
  }
  // What a failed start left open must not keep the process alive: everything worth waiting for has been stopped.
  process.exit()
}

/** What the process ends with: 0 for help that was asked for, 2 for a wrong call, 1 for everything else. */
function fail(error: unknown): number {
  // Commander has printed its message already.
  if (error instanceof CommanderError) return error.exitCode === 0 ? 0 : CALLED_WRONGLY
  for (const line of explain(error)) process.stderr.write(`millrace: ${line}\n`)
  return error instanceof CommandError ? error.exitCode : 1
}

function explain(error: unknown): string[] {
  if (error instanceof CommandError) return error.message.split("\n").map(safeText)
  const known = error instanceof EngineError ? safeText(error.message) : explainStartError(error, settled())
  if (known) return known.split("\n")
  return [
    `unexpected failure, please report it: ${safeText(error instanceof Error ? (error.stack ?? error.message) : String(error))}`,
  ]
}

function settled() {
  try {
    return loadConfig({ env: process.env })
  } catch {
    return undefined
  }
}

await main()
