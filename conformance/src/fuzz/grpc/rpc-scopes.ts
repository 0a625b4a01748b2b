// The scope that each RPC needs, written down apart from the engine.
import type { Scopes } from "../rest/rest-request.ts"

const NEEDED: readonly (readonly [RegExp, string])[] = [
  [/^UploadDefinition$/, "definitions:write"],
  [/Definitions?$/, "definitions:read"],
  [/^(GetInstance|GetInstanceHistory|ListInstances)$/, "instances:read"],
  [/^(StartInstance|CancelInstance|SignalWait|RetryStep)$/, "instances:write"],
  [/^CompleteUserTask$/, "tasks:write"],
  [/Jobs?$|^Heartbeat$/, "jobs:work"],
]

/** Whether these scopes are enough for this RPC. */
export function scopeOf(rpc: string, scopes: Scopes): boolean {
  const needed = NEEDED.find(([pattern]) => pattern.test(rpc))?.[1] ?? "admin"
  return scopes?.some((scope) => scope === "admin" || scope === needed || scope.startsWith(`${needed}:`)) ?? false
}
