// A copy of the checkout that mutants are planted in. What npm installed is linked to: nothing there is changed. What a program writes
// meanwhile, such as the benchmark its database, is left out.
import { cpSync, mkdirSync, mkdtempSync, readdirSync, readlinkSync, symlinkSync } from "node:fs"
import { tmpdir } from "node:os"
import { basename, join } from "node:path"

const LEFT_OUT = new Set(
  "node_modules .git .millrace .data coverage results target .venv .mypy_cache .ruff_cache .pytest_cache".split(" "),
)

export function copyCheckout(root: string): string {
  const copy = mkdtempSync(join(tmpdir(), "millrace-mutants-"))
  cpSync(root, copy, { recursive: true, filter: (path) => !LEFT_OUT.has(basename(path)) })
  for (const folder of ["", "guard"])
    linkModules(join(root, folder, "node_modules"), join(copy, folder, "node_modules"))
  return copy
}

/** Packages of the workspace are links into the checkout, and become links into the copy. */
function linkModules(from: string, to: string): void {
  mkdirSync(to, { recursive: true })
  for (const entry of readdirSync(from, { withFileTypes: true })) {
    const [source, target] = [join(from, entry.name), join(to, entry.name)]
    if (entry.name.startsWith(".vite")) continue
    if (entry.isSymbolicLink()) symlinkSync(readlinkSync(source), target)
    else if (entry.name.startsWith("@")) linkModules(source, target)
    else symlinkSync(source, target)
  }
}
