// What the address of the overview says: how far back its charts go.
import { oneOf, type RawSearch } from "../../api/search-text.ts"

export const readOverviewSearch = (search: RawSearch): { window?: "PT1H" | "P1D" } => ({
  window: oneOf(search, "window", ["PT1H", "P1D"]),
})
