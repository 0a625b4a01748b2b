// A mutant: one bug, planted by hand, and the tests that have to find it.
import { readFileSync, renameSync, writeFileSync } from "node:fs"
import { join } from "node:path"

export interface Mutant {
  readonly id: string
  readonly file: string
  /** Exactly one place of the file: a mutant whose place has changed is an error, and not one less to find. */
  readonly find: string
  readonly replace: string
  /** The promise that it breaks. */
  readonly breaks: string
  /** Run in this order, until a test fails. */
  readonly tests: readonly string[]
  /** Why no test can find it, where it changes nothing that can be seen. */
  readonly equivalent?: string
}

/** The file with the bug in it. */
export function mutated(text: string, { id, file, find, replace }: Mutant): string {
  const parts = text.split(find)
  if (parts.length !== 2)
    throw new Error(`${id}: its text is in ${file} ${parts.length - 1} times, and has to be there once`)
  if (find === replace) throw new Error(`${id}: it changes nothing`)
  return parts.join(replace)
}

/** Plants the mutant below `root`. What is returned takes it out again. */
export function plant(root: string, mutant: Mutant): () => void {
  const path = join(root, mutant.file)
  const text = readFileSync(path, "utf8")
  replaceFile(path, mutated(text, mutant))
  return () => replaceFile(path, text)
}

/** As a new file: another name of the old one keeps its text. */
function replaceFile(path: string, text: string): void {
  writeFileSync(`${path}.new`, text)
  renameSync(`${path}.new`, path)
}
