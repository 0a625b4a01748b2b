// What the address of one instance says: which step is looked at, how the steps are drawn, which panel is open, and what is shown in it.
import { oneOf, type RawSearch, text } from "../../api/search-text.ts"

export const PANELS = ["variables", "history", "audit"] as const
export type PanelName = (typeof PANELS)[number]

export const VIEWS = ["waterfall", "graph"] as const
export type ViewName = (typeof VIEWS)[number]

export interface InstanceSearch {
  readonly step?: string
  /** Of the steps; absent is the one that fits the form of the run. */
  readonly view?: ViewName
  readonly panel?: PanelName
  /** Of the waterfall: true to scale, or with long waits squeezed; absent is what fits. */
  readonly scale?: "true" | "squeezed"
  /** Of the variables: the state after this. */
  readonly after?: string
}

export const readInstanceSearch = (search: RawSearch): InstanceSearch => ({
  step: text(search, "step"),
  view: oneOf(search, "view", VIEWS),
  panel: oneOf(search, "panel", PANELS),
  scale: oneOf(search, "scale", ["true", "squeezed"]),
  after: text(search, "after"),
})
