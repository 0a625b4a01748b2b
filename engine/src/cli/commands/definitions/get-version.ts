// Reads one version of a definition.
import type { wire } from "@millrace/sdk"
import type { RemoteEngine } from "../../remote-engine.ts"

/** The latest unless one is named. */
export const getVersion = (
  engine: RemoteEngine,
  definitionId: string,
  version?: number,
): Promise<wire.StoredDefinition> =>
  version === undefined
    ? engine.call("getDefinition", { path: { definitionId } })
    : engine.call("getDefinitionVersion", { path: { definitionId, version } })
