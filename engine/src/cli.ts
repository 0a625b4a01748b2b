#!/usr/bin/env node
// The `millrace` command: reads the command line, and turns every known failure into one line and exit code 1.
import { readFileSync } from "node:fs"
import { explainStartError } from "./cli/explain-start-error.ts"
import { createProgram } from "./cli/program.ts"
import { loadConfig } from "./config.ts"
import { EngineError } from "./support/errors.ts"
import { safeText } from "./support/redact.ts"

/** Ended by a second Ctrl-C, as a shell reports it. */
const FORCED = 130

async function main(): Promise<void> {
  const { version } = JSON.parse(readFileSync(new URL("../package.json", import.meta.url), "utf8")) as {
    version: string
  }
  const program = createProgram({
    version,
    env: process.env,
    print: (text) => console.log(text),
    terminal: process.stderr,
    force: () => process.exit(FORCED),
  })
  try {
    await program.parseAsync()
  } catch (error) {
    for (const line of explain(error)) process.stderr.write(`millrace: ${line}\n`)
    process.exitCode = 1
  }
  // Whatever a failed start left open must not keep the process: everything worth waiting for has been stopped.
  process.exit()
}

function explain(error: unknown): string[] {
  const known = error instanceof EngineError ? safeText(error.message) : explainStartError(error, ports())
  if (known) return known.split("\n")
  return [
    `unexpected failure, please report it: ${safeText(error instanceof Error ? (error.stack ?? error.message) : String(error))}`,
  ]
}

function ports() {
  try {
    return loadConfig({ env: process.env })
  } catch {
    return undefined
  }
}

await main()
