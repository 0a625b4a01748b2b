// The W3C trace context of a piece of work, as one line of text: what a request brings, a row keeps and a worker is given.

/** 00-<trace id>-<parent id>-<flags>: this long in the version we write, and the beginning of every later one. */
const PARENT_LENGTH = 55
const TRACEPARENT = /^([0-9a-f]{2})-([0-9a-f]{32})-([0-9a-f]{16})-([0-9a-f]{2})(-.*)?$/
const ALL_ZERO = /^0+$/
const STATE_LENGTH = 512
const STATE_MEMBERS = 32
/** A key, with or without a tenant, and a value: printable, without comma, equals sign, or a blank at its end. */
const STATE_MEMBER = /^[a-z0-9][a-z0-9_\-*/@]{0,255}=[\x20-\x2b\x2d-\x3c\x3e-\x7e]{0,255}[\x21-\x2b\x2d-\x3c\x3e-\x7e]$/

/** `traceparent`, and after a space `tracestate` where there is one. Undefined where the first is no good; a bad second is left out. */
export function readTraceContext(traceparent: unknown, tracestate?: unknown): string | undefined {
  const parent = readParent(traceparent)
  if (parent === undefined) return undefined
  const state = readState(tracestate)
  return state === undefined ? parent : `${parent} ${state}`
}

/** One of a later version is read as far as we know it, and passed on as ours. */
function readParent(traceparent: unknown): string | undefined {
  const parts = typeof traceparent === "string" ? TRACEPARENT.exec(traceparent) : null
  if (!parts) return undefined
  const [, version, traceId = "", parentId = "", flags = "", more] = parts
  if (version === "ff" || ALL_ZERO.test(traceId) || ALL_ZERO.test(parentId)) return undefined
  if (version === "00") return more === undefined ? (traceparent as string) : undefined
  return `00-${traceId}-${parentId}-0${Number.parseInt(flags, 16) & 1}`
}

/** What is too long loses whole members, the oldest first. */
function readState(tracestate: unknown): string | undefined {
  if (typeof tracestate !== "string") return undefined
  const members = tracestate.split(",").flatMap((member) => member.trim() || [])
  if (members.length > STATE_MEMBERS || !members.every((member) => STATE_MEMBER.test(member))) return undefined
  let state = members.join()
  while (state.length > STATE_LENGTH) state = state.slice(0, Math.max(0, state.lastIndexOf(",")))
  return state === "" ? undefined : state
}

export const traceparentOf = (context: string): string => context.slice(0, PARENT_LENGTH)

export const tracestateOf = (context: string): string | undefined =>
  context.length > PARENT_LENGTH ? context.slice(PARENT_LENGTH + 1) : undefined
