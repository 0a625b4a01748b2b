// The files of the repository as the house tests see them.
import { readdirSync, readFileSync } from "node:fs"
import { join, relative, sep } from "node:path"
import { fileURLToPath } from "node:url"

export const root = fileURLToPath(new URL("..", import.meta.url))

const IGNORED = new Set(
  "node_modules dist ui coverage results target .builds .git .millrace .data .venv .mypy_cache .ruff_cache .pytest_cache".split(
    " ",
  ),
)

export const read = (path: string): string => readFileSync(join(root, path), "utf8")
export const readJson = <T>(path: string): T => JSON.parse(read(path)) as T

/** Paths below a folder, relative to the root and with `/`, without what is built or fetched. */
export function list(folder: string, accepts: (path: string) => boolean): string[] {
  const found: string[] = []
  const walk = (directory: string) => {
    for (const entry of readdirSync(directory, { withFileTypes: true })) {
      const path = join(directory, entry.name)
      if (entry.isDirectory() && !IGNORED.has(entry.name)) walk(path)
      else if (entry.isFile()) found.push(relative(root, path).split(sep).join("/"))
    }
  }
  walk(join(root, folder))
  return found.filter(accepts).sort()
}

export const isTest = (path: string): boolean =>
  /\.test\.(ts|mjs)$/.test(path) || path.includes("/test-support/") || path.startsWith("engine/src/simulation/")

/** What ships and is written by hand, in every package. */
export const sources = (): string[] =>
  ["engine/src", "guard/src", "dashboard/src", "sdks/typescript", "conformance/src", "examples"].flatMap((folder) =>
    list(folder, (path) => /\.(tsx?|sql)$/.test(path) && !isTest(path) && !path.includes("/generated/")),
  )
