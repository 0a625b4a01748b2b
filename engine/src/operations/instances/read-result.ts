// What a completed instance has come to, as its caller would name it.
import { listHistory } from "../../store/instances/history.ts"
import type { JsonObject, JsonValue } from "../../support/json.ts"
import { definitionsOf } from "../definitions/definition-cache.ts"
import type { Kernel } from "../kernel/kernel.ts"
import type { InstanceView } from "./instance-view.ts"

/** What a function returned, the context that a list has built up (without its input), or the variables of a graph. */
export async function resultOf(kernel: Kernel, instance: InstanceView): Promise<JsonValue> {
  const { id, variables, definitionId, definitionVersion } = instance
  const definition = await definitionsOf(kernel).version(definitionId, definitionVersion)
  if (definition?.isFunction) return variables.result ?? null
  return definition?.isList ? contextOf(kernel, id, definitionId) : variables
}

/** The list is one execution, of a step by its own name, and its context what that has put out. Its user tasks are others. */
async function contextOf(kernel: Kernel, id: string, name: string): Promise<JsonObject> {
  const rows = await listHistory(kernel.db, id)
  const done = rows.findLast(({ step_id, status }) => step_id === name && status === "COMPLETED")
  return done?.delta == null ? {} : (JSON.parse(done.delta) as JsonObject)
}
