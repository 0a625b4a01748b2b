// Runs code that the page shows as its reader would: as a module in a folder of its own, with the library and a database of its own.
import { spawn } from "node:child_process"
import { mkdirSync, symlinkSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { fileURLToPath } from "node:url"

const ENGINE = fileURLToPath(new URL("../../../engine", import.meta.url))

/** What it printed. Throws with what it complained of where it failed. The folder goes with the one that it is made in. */
export function runModule(within: string, code: string): Promise<string> {
  const folder = join(within, "reader")
  mkdirSync(join(folder, "node_modules"), { recursive: true })
  symlinkSync(ENGINE, join(folder, "node_modules/millrace"))
  writeFileSync(join(folder, "main.mjs"), code)
  const env = { ...process.env, DATABASE_URL: undefined, WE_POSTGRES_DSN: undefined }
  const child = spawn(process.execPath, ["main.mjs"], { cwd: folder, env })
  let output = ""
  let errors = ""
  child.stdout.on("data", (chunk) => (output += chunk))
  child.stderr.on("data", (chunk) => (errors += chunk))
  return new Promise((resolve, reject) =>
    child.on("close", (code) => (code === 0 ? resolve(output) : reject(new Error(errors + output)))),
  )
}
