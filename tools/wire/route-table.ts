// sdks/typescript/src/generated/routes.ts: method and path of every operation, from contracts/openapi.yaml.
import { type Contract, routesOf } from "./schema.ts"

export function routeTable(contract: Contract): string {
  const entries = routesOf(contract).map(
    ({ method, path, operation }) => `${operation.operationId}: "${method} ${path}",`,
  )
  return `import type { Operations } from "./wire.ts"

/** Method and path of every operation, by its id. */
export const ROUTES = {
${entries.join("\n")}
} as const satisfies Readonly<Record<keyof Operations, string>>`
}
