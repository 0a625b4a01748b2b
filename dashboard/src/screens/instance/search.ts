// What the address of one instance says: which step is looked at, which panel is open, and what is shown in it.
import { oneOf, type RawSearch, text } from "../../api/search-text.ts"

export const PANELS = ["timeline", "variables", "history", "audit"] as const
export type PanelName = (typeof PANELS)[number]

export interface InstanceSearch {
  readonly step?: string
  readonly panel?: PanelName
  /** Of the timeline: true to scale, or with long waits squeezed; absent is what fits. */
  readonly scale?: "true" | "squeezed"
  /** Of the variables: the state after this. */
  readonly after?: string
}

export const readInstanceSearch = (search: RawSearch): InstanceSearch => ({
  step: text(search, "step"),
  panel: oneOf(search, "panel", PANELS),
  scale: oneOf(search, "scale", ["true", "squeezed"]),
  after: text(search, "after"),
})
