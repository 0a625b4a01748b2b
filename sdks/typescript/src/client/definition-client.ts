// Definitions: uploaded, read, and where their instances stand.

import type { CallOptions } from "../calls/caller.ts"
import type { ChangeOptions } from "../calls/operation-caller.ts"
import type * as wire from "../generated/wire.ts"
import type {
  Definition,
  DefinitionActivity,
  DefinitionPage,
  DefinitionSummary,
  DefinitionVersion,
  StoredDefinition,
} from "../generated/wire.ts"
import { StandaloneJobClient } from "./standalone-job-client.ts"

export class DefinitionClient extends StandaloneJobClient {
  uploadDefinition(definition: Definition, options?: ChangeOptions): Promise<DefinitionSummary> {
    return this.operations.call("uploadDefinition", { body: definition }, options)
  }

  /** The latest version unless one is named. */
  getDefinition(id: string, version?: number, options?: CallOptions): Promise<StoredDefinition> {
    return version === undefined
      ? this.operations.call("getDefinition", { path: { definitionId: id } }, options)
      : this.operations.call("getDefinitionVersion", { path: { definitionId: id, version } }, options)
  }

  listDefinitions(query: wire.ListDefinitionsQuery = {}, options?: CallOptions): Promise<DefinitionPage> {
    return this.operations.call("listDefinitions", { query }, options)
  }

  /** Newest first, at most 200. */
  async listDefinitionVersions(id: string, options?: CallOptions): Promise<readonly DefinitionVersion[]> {
    return (await this.operations.call("listDefinitionVersions", { path: { definitionId: id } }, options)).items
  }

  /** At which steps its live instances stand. */
  getDefinitionActivity(
    id: string,
    query: wire.GetDefinitionActivityQuery = {},
    options?: CallOptions,
  ): Promise<DefinitionActivity> {
    return this.operations.call("getDefinitionActivity", { path: { definitionId: id }, query }, options)
  }
}
