// What the address of one instance says: which step is looked at, how the steps are drawn, which panel is open, and what is shown in it.
import { oneOf, type RawSearch, text } from "../../api/search-text.ts"

export const PANELS = ["variables", "history", "audit"] as const
export type PanelName = (typeof PANELS)[number]

export const VIEWS = ["waterfall", "graph"] as const
export type ViewName = (typeof VIEWS)[number]

export interface InstanceSearch {
  readonly step?: string
  /** How the steps are drawn. Absent: the view that fits the form of the run. */
  readonly view?: ViewName
  readonly panel?: PanelName
  /** How the waterfall is drawn: true to scale, or with long waits squeezed. Absent: whichever fits. */
  readonly scale?: "true" | "squeezed"
  /** In the panel of variables: the state after this step. */
  readonly after?: string
}

export const readInstanceSearch = (search: RawSearch): InstanceSearch => ({
  step: text(search, "step"),
  view: oneOf(search, "view", VIEWS),
  panel: oneOf(search, "panel", PANELS),
  scale: oneOf(search, "scale", ["true", "squeezed"]),
  after: text(search, "after"),
})
