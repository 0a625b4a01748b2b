// The SDK of an earlier commit against the engine of this one, and the other way round: TypeScript, over each transport.
import { spawn } from "node:child_process"
import { symlinkSync } from "node:fs"
import { join } from "node:path"
import { fileURLToPath, pathToFileURL } from "node:url"
import { cells } from "../scenarios/matrix.ts"
import { readScenarios } from "../scenarios/scenario.ts"
import type { Plan } from "./plan.ts"

const ROOT = fileURLToPath(new URL("../../../", import.meta.url))

export interface Previous {
  readonly plans: readonly Plan[]
  remove(): Promise<void>
}

/** Checks the commit out beside this one and builds it; both directions run the scenarios that it had. */
export async function openPrevious(ref: string, folder: string): Promise<Previous> {
  const place = join(folder, "previous")
  await command(ROOT, "git", "worktree", "add", "--detach", place, ref)
  symlinkSync(join(ROOT, "node_modules"), join(place, "node_modules"))
  await command(place, "npm", "run", "--silent", "build")
  return {
    plans: plansOf(ref, place),
    remove: () => command(ROOT, "git", "worktree", "remove", "--force", place),
  }
}

function plansOf(ref: string, place: string): Plan[] {
  const scenarios = readScenarios(pathToFileURL(join(place, "conformance/scenarios/"))).filter(({ open }) => !open)
  const ours = cells.filter(({ sdk, mode }) => sdk === "typescript" && mode === "exchange")
  return ours.flatMap((cell) => [
    {
      cell: { ...cell, name: `${cell.name}, SDK of ${ref}` },
      scenarios,
      program: join(place, "sdks/typescript/conformance-program"),
    },
    { cell: { ...cell, name: `${cell.name}, engine of ${ref}` }, scenarios, engine: join(place, "engine/dist/cli.js") },
  ])
}

async function command(folder: string, file: string, ...args: readonly string[]): Promise<void> {
  const child = spawn(file, args, { cwd: folder, stdio: ["ignore", "ignore", "pipe"] })
  let said = ""
  child.stderr.on("data", (part: Buffer) => {
    said = `${said}${part}`.slice(-2_000)
  })
  const code = await new Promise<unknown>((resolve) => child.once("error", resolve).once("exit", resolve))
  if (code !== 0) throw new Error(`${file} ${args.join(" ")} ended with ${code}: ${said.trim()}`)
}
