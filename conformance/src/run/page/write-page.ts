// Writes the matrix page of the docs, or the part of it that the run was about.
import { readFileSync, writeFileSync } from "node:fs"
import type { Previous } from "../previous/previous.ts"
import type { CellResult } from "../run-matrix.ts"
import { drawPage } from "./page.ts"
import { drawPart, keptPart, withPart } from "./previous-part.ts"

const PAGE = new URL("../../../../docs/reference/conformance.md", import.meta.url)

export function writePage(results: readonly CellResult[], previous: Previous | undefined): void {
  const page = readFileSync(PAGE, "utf8")
  if (!previous) writeFileSync(PAGE, drawPage(results, keptPart(page)))
  else if (previous.commits) writeFileSync(PAGE, withPart(page, drawPart(results, previous)))
}
