// Runs a TypeScript file of this repository as a process of its own: one that can really die.
import { type ChildProcess, spawn } from "node:child_process"
import { createRequire } from "node:module"
import { pathToFileURL } from "node:url"

/** The transformer that vitest itself uses. TypeScript's own took two seconds of every process. */
const TRANSFORMER = JSON.stringify(pathToFileURL(createRequire(import.meta.url).resolve("rolldown/utils")))

/** Node 20 reads no TypeScript: each file is translated as it is loaded, types dropped unread. */
const HOOKS = `
  import { readFile } from "node:fs/promises"
  const { transformSync } = await import(${TRANSFORMER})
  export async function load(url, context, next) {
    if (!url.endsWith(".ts")) return next(url, context)
    const { code } = transformSync(url, await readFile(new URL(url), "utf8"), { lang: "ts" })
    return { format: "module", shortCircuit: true, source: code }
  }`
const dataUrl = (code: string) => `data:text/javascript,${encodeURIComponent(code)}`
const REGISTER = `import { register } from "node:module"; register(${JSON.stringify(dataUrl(HOOKS))})`

export interface Ended {
  readonly code: number | null
  readonly signal: NodeJS.Signals | null
  /** What it wrote to either stream. */
  readonly output: string
}

export interface TypeScriptProcess {
  readonly child: ChildProcess
  readonly ended: Promise<Ended>
}

/** `env` is added to this process's own. NODE, where it is given there, is what runs the file. */
export function runTypeScript(
  file: URL,
  args: readonly string[],
  env: Readonly<Record<string, string>> = {},
): TypeScriptProcess {
  const { NODE: node = process.execPath } = env
  const command = ["--import", dataUrl(REGISTER), file.pathname, ...args]
  const child = spawn(node, command, { env: { ...process.env, ...env } })
  let output = ""
  for (const stream of [child.stdout, child.stderr]) stream.on("data", (chunk) => (output += chunk))
  const ended = new Promise<Ended>((resolve) => child.on("close", (code, signal) => resolve({ code, signal, output })))
  return { child, ended }
}
