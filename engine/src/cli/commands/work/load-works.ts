// Finds the workflows and jobs of a module: a path, or a package of the project in the working directory.
import { existsSync, readFileSync, statSync } from "node:fs"
import { createRequire } from "node:module"
import { dirname, join, resolve } from "node:path"
import { pathToFileURL } from "node:url"
import { isJob } from "../../../library/authoring/job.ts"
import type { Workable } from "../../../library/running/workers.ts"
import { isObject } from "../../../support/json.ts"
import { safeText } from "../../../support/redact.ts"
import { CommandError, calledWrongly } from "../../command-error.ts"

export async function loadWorks(module: string, cwd: string): Promise<readonly Workable[]> {
  const file = findModule(module, cwd)
  if (file === undefined)
    throw calledWrongly(
      `there is no module ${safeText(module)}: give a path such as ./flows.js, or a package of this project`,
    )
  const works = worksOf(await load(module, file))
  if (works.length > 0) return works
  throw calledWrongly(
    `${safeText(module)} exports no workflow and no job: export what workflow(…) and job(…) return, or an array of them by default`,
  )
}

/** Each once, in the order of the exports. A CommonJS module is its default export. */
function worksOf(exports: object): readonly Workable[] {
  const { default: main } = exports as { default?: unknown }
  const listed = Array.isArray(main) ? main : isObject(main) && !isWorkable(main) ? Object.values(main) : []
  return [...new Set([...listed, ...Object.values(exports)])].filter(isWorkable)
}

/** By its form: the module may have been built against another copy of this package. */
const isWorkable = (value: unknown): value is Workable => isJob(value) || isWorkflow(value)

const isWorkflow = (value: unknown): boolean =>
  isObject(value) && ["list", "function"].includes(value.kind as string) && typeof value.toDefinition === "function"

async function load(module: string, file: string): Promise<object> {
  try {
    return (await import(pathToFileURL(file).href)) as object
  } catch (error) {
    throw new CommandError(`${safeText(module)} cannot be loaded: ${reason(error)}`)
  }
}

function reason(error: unknown): string {
  if ((error as { code?: unknown } | undefined)?.code === "ERR_UNKNOWN_FILE_EXTENSION")
    return `Node ${process.versions.node} does not read such files; build it first, or use Node 22.18 or later for TypeScript`
  const missing = missingPackage(error)
  if (missing !== undefined) return missing
  // What we refuse says what is wrong, and its stack is ours.
  if (error instanceof Error && error.name === "EngineError") return safeText(error.message)
  // The error comes from the caller's own code: the stack says where.
  return safeText(error instanceof Error ? (error.stack ?? error.message) : String(error))
}

const MISSING: ReadonlySet<unknown> = new Set(["ERR_MODULE_NOT_FOUND", "MODULE_NOT_FOUND"])
const NAMED = /^Cannot find (?:package|module) '([^']+)'/

/** What it imports is looked for from the module's own folder upwards, not from where this program is. */
function missingPackage(error: unknown): string | undefined {
  const { code, message = "" } = (error ?? {}) as { code?: unknown; message?: string }
  const name = MISSING.has(code) ? NAMED.exec(message)?.[1] : undefined
  if (name === undefined) return undefined
  if (name !== "millrace" && !name.startsWith("millrace/"))
    return `it imports ${safeText(name)}, which is not there: install or build that first`
  return "it imports millrace, which is not installed beside it. In a clone of Millrace run `npm pack --workspace engine --workspace guard --workspace sdks/typescript`\nand `npm install` the three files in the folder of the module; or keep the module within the clone"
}

function findModule(module: string, cwd: string): string | undefined {
  const path = resolve(cwd, module)
  if (existsSync(path) && statSync(path).isFile()) return path
  try {
    return createRequire(join(cwd, "package.json")).resolve(module)
  } catch (error) {
    return (error as { code?: string }).code === "ERR_PACKAGE_PATH_NOT_EXPORTED"
      ? importedEntry(module, cwd)
      : undefined
  }
}

/** Finds the entry of a package that can only be imported. Node resolves such packages only from the place of the importing module. */
function importedEntry(name: string, cwd: string): string | undefined {
  for (let folder = cwd; ; folder = dirname(folder)) {
    const home = join(folder, "node_modules", name)
    const manifest = join(home, "package.json")
    if (existsSync(manifest)) {
      const { exports } = JSON.parse(readFileSync(manifest, "utf8")) as { exports?: unknown }
      const entry = entryOf(isObject(exports) && "." in exports ? exports["."] : exports)
      return entry === undefined ? undefined : join(home, entry)
    }
    if (folder === dirname(folder)) return undefined
  }
}

function entryOf(target: unknown): string | undefined {
  if (typeof target === "string") return target
  if (!isObject(target)) return undefined
  const condition = Object.keys(target).find((name) => ["import", "node", "default"].includes(name))
  return condition === undefined ? undefined : entryOf(target[condition])
}
