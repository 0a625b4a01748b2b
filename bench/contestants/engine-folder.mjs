// Where the engine that is measured lies: in this repository, or another build of it named by MILLRACE_ENGINE_DIR.
import { resolve } from "node:path"
import { pathToFileURL } from "node:url"

const named = process.env.MILLRACE_ENGINE_DIR

export const ENGINE = named ? pathToFileURL(`${resolve(named)}/`) : new URL("../../engine/", import.meta.url)
