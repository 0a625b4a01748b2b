// The version of this engine, which every answer tells: clients name it where the engine is older than what they ask for.
import { readFileSync } from "node:fs"

const manifest = new URL("../../package.json", import.meta.url)

export const VERSION: string = (JSON.parse(readFileSync(manifest, "utf8")) as { readonly version: string }).version
