// The REST contract as JSON: the very file in contracts/, or the copy that the build puts into the published package.
import { readFile } from "node:fs/promises"
import { parse } from "yaml"

const REPOSITORY = new URL("../../../../contracts/openapi.yaml", import.meta.url)
const PACKAGE = new URL("../../../contracts/openapi.json", import.meta.url)

let cached: Promise<string> | undefined

/** Read on the first call: few ask for it, and parsing takes longer than a start should. */
export function openApiJson(): Promise<string> {
  cached ??= load()
  return cached
}

const load = (): Promise<string> =>
  readFile(REPOSITORY, "utf8").then(
    (text) => JSON.stringify(parse(text)),
    () => readFile(PACKAGE, "utf8"),
  )
