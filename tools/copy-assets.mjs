// Puts beside the compiled engine what tsc leaves behind: the SQL statements, and the contract that the server shows.
import { cpSync, mkdirSync, readFileSync, writeFileSync } from "node:fs"
import { fileURLToPath } from "node:url"
import { parse } from "yaml"

const at = (path) => fileURLToPath(new URL(`../${path}`, import.meta.url))

for (const room of ["store", "test-kit"])
  cpSync(at(`engine/src/${room}`), at(`engine/dist/${room}`), {
    recursive: true,
    filter: (source) => !/\.[a-z]+$/.test(source) || source.endsWith(".sql"),
  })
mkdirSync(at("engine/contracts"), { recursive: true })
writeFileSync(
  at("engine/contracts/openapi.json"),
  JSON.stringify(parse(readFileSync(at("contracts/openapi.yaml"), "utf8"))),
)
