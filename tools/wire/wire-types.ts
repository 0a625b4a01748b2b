// What the SDKs have of contracts/openapi.yaml: the types of the wire, and for TypeScript every route, field and the version.
import { execFileSync } from "node:child_process"
import { join } from "node:path"
import { parse } from "yaml"
import { read, root } from "../files.ts"
import { fieldTable } from "./field-table.ts"
import { goCodes, goWire } from "./go-wire.ts"
import { kindTable } from "./kind-table.ts"
import { operationTypes } from "./operation-types.ts"
import { routeTable } from "./route-table.ts"
import type { Contract } from "./schema.ts"
import { declarationOf } from "./schema-types.ts"

const HEAD = "// Generated from contracts/openapi.yaml by `npm run generate`. Do not edit."

const readContract = (): Contract => parse(read("contracts/openapi.yaml")) as Contract

export function wireTypes(): string {
  const contract = readContract()
  const { schemas } = contract.components
  const declarations = Object.keys(schemas).map((name) => declarationOf(name, schemas))
  return formatted([HEAD, ...declarations, operationTypes(contract)].join("\n\n"))
}

export const wireRoutes = (): string => formatted([HEAD, routeTable(readContract())].join("\n"))

export const goWireTypes = (): string => goWire(readContract())

export const goErrorCodes = (): string => goCodes(parse(read("contracts/errors.yaml")))

export const wireFields = (): string => formatted([HEAD, fieldTable(readContract())].join("\n"))

export const wireKinds = (): string => formatted([HEAD, kindTable(readContract())].join("\n"))

/** The version that all packages share. */
export function sdkVersion(): string {
  const { version } = JSON.parse(read("sdks/typescript/package.json")) as { readonly version: string }
  const head = "// Generated from package.json by `npm run generate`. Do not edit."
  return formatted(`${head}\nexport const VERSION = ${JSON.stringify(version)}`)
}

/** As the rest of the house is formatted, so that a difference is one of content. */
function formatted(source: string): string {
  const biome = join(root, "node_modules/@biomejs/biome/bin/biome")
  const args = [biome, "format", "--stdin-file-path=sdks/typescript/src/generated/wire.ts"]
  return execFileSync(process.execPath, args, { cwd: root, input: source, encoding: "utf8" })
}
