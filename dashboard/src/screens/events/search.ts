// What the address of the screen of events says: the sink whose parked events are shown, and where the page begins.
import { type RawSearch, text } from "../../api/search-text.ts"

export interface EventsSearch {
  readonly sink?: string | undefined
  readonly cursor?: string | undefined
}

export const readEventsSearch = (search: RawSearch): EventsSearch => ({
  sink: text(search, "sink"),
  cursor: text(search, "cursor"),
})
