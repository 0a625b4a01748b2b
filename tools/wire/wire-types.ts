// sdks/typescript/src/generated/wire.ts: every type of the wire, from contracts/openapi.yaml.
import { execFileSync } from "node:child_process"
import { join } from "node:path"
import { parse } from "yaml"
import { read, root } from "../files.ts"
import { operationTypes } from "./operation-types.ts"
import type { Contract } from "./schema.ts"
import { declarationOf } from "./schema-types.ts"

const HEAD = "// Generated from contracts/openapi.yaml by `npm run generate`. Do not edit."

export function wireTypes(): string {
  const contract = parse(read("contracts/openapi.yaml")) as Contract
  const { schemas } = contract.components
  const declarations = Object.keys(schemas).map((name) => declarationOf(name, schemas))
  return formatted([HEAD, ...declarations, operationTypes(contract)].join("\n\n"))
}

/** As the rest of the house is formatted, so that a difference is one of content. */
function formatted(source: string): string {
  const biome = join(root, "node_modules/@biomejs/biome/bin/biome")
  const args = [biome, "format", "--stdin-file-path=sdks/typescript/src/generated/wire.ts"]
  return execFileSync(process.execPath, args, { cwd: root, input: source, encoding: "utf8" })
}
