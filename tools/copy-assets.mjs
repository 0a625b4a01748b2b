// Copies what tsc leaves behind: the .sql statements that live beside their typed functions.
import { cpSync } from "node:fs"
import { fileURLToPath } from "node:url"

const at = (path) => fileURLToPath(new URL(`../${path}`, import.meta.url))

cpSync(at("engine/src/store"), at("engine/dist/store"), {
  recursive: true,
  filter: (source) => !/\.[a-z]+$/.test(source) || source.endsWith(".sql"),
})
