// What the addresses of definitions say: what is looked for, which version in which view, and which other it is held against.
import { oneOf, type RawSearch, text } from "../../api/search-text.ts"

export interface DefinitionsSearch {
  readonly keyword?: string
  readonly page?: string
}

export const readDefinitionsSearch = (search: RawSearch): DefinitionsSearch => ({
  keyword: text(search, "keyword"),
  page: text(search, "page"),
})

export const VIEWS = ["graph", "steps", "versions", "difference", "json"] as const
export type View = (typeof VIEWS)[number]

export interface DefinitionSearch {
  readonly version?: string
  readonly against?: string
  readonly step?: string
  readonly view?: View
}

export const readDefinitionSearch = (search: RawSearch): DefinitionSearch => ({
  version: text(search, "version"),
  against: text(search, "against"),
  step: text(search, "step"),
  view: oneOf(search, "view", VIEWS),
})

/** A version as it stands in an address; anything else is the latest. */
export const versionOf = (text: string | undefined): number | undefined =>
  text !== undefined && /^[1-9]\d{0,8}$/.test(text) ? Number(text) : undefined

export interface UploadSearch {
  /** The definition whose latest version is in the editor to begin with. */
  readonly from?: string
}

export const readUploadSearch = (search: RawSearch): UploadSearch => ({ from: text(search, "from") })
