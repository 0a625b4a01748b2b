// The REST contract as JSON: made by the build from contracts/openapi.yaml, so that the published package has it too.
import { readFile } from "node:fs/promises"

const CONTRACT = new URL("../../../../contracts/openapi.json", import.meta.url)

let cached: Promise<string> | undefined

export function openApiJson(): Promise<string> {
  cached ??= readFile(CONTRACT, "utf8")
  return cached
}
