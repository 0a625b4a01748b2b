// A run as the test kit shows it: typed by its workflow.
import type { RunRecord } from "../library/handles/run-handle.ts"
import type { JsonObject } from "../support/json.ts"

export type RunView<Result = unknown> = Omit<RunRecord, "variables"> & { readonly variables: JsonObject & Result }
