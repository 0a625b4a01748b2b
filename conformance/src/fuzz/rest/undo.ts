// What a request has set for all callers is set back: otherwise every later answer would be the same refusal.
import type { RestAnswer } from "./read-response.ts"
import type { RestRequest } from "./rest-request.ts"

interface Undone {
  readonly method: string
  readonly target: string
}

/** Undefined where nothing has to be set back. */
export function undoOf({ operation, target }: RestRequest, { text }: RestAnswer): Undone | undefined {
  const [path = ""] = target.split("?", 1)
  if (operation.id === "setShadowMode") return { method: "POST", target: "/admin/shadow-mode?enabled=true" }
  if (operation.id === "setWatermarks") return { method: "DELETE", target: "/queues/watermarks" }
  if (operation.id === "pauseQueue") return { method: "POST", target: path.replace(/pause$/, "resume") }
  if (operation.id !== "pause") return undefined
  // What was sent may have been bytes; the answer says what is paused.
  const { kind, name } = JSON.parse(text) as { kind: string; name: string }
  return { method: "DELETE", target: `/v1/pauses/${kind}/${encodeURIComponent(name)}` }
}
