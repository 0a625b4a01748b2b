// What the address of the API page says: what is looked for in it.
import { type RawSearch, text } from "../../api/search-text.ts"

export interface ApiSearch {
  readonly find?: string
}

export const readApiSearch = (search: RawSearch): ApiSearch => ({ find: text(search, "find") })
