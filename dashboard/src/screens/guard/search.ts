// What the address of the guard's screen says: how far back, whom one asks about, which list, its filter and its page.
import type { GuardRule } from "../../api/guard/shadow.ts"
import { oneOf, type RawSearch, text } from "../../api/search-text.ts"
import type { Window } from "../../api/stats.ts"
import { RULE_NAMES } from "./words.ts"

export interface GuardSearch {
  readonly window?: Exclude<Window, "PT1H"> | undefined
  /** An address or a client. */
  readonly why?: string | undefined
  readonly view?: "shadow" | undefined
  readonly rule?: GuardRule | undefined
  readonly client?: string | undefined
  readonly cursor?: string | undefined
}

export const readGuardSearch = (search: RawSearch): GuardSearch => ({
  window: oneOf(search, "window", ["PT15M", "P1D"]),
  why: text(search, "why"),
  view: oneOf(search, "view", ["shadow"]),
  rule: oneOf(search, "rule", RULE_NAMES),
  client: text(search, "client"),
  cursor: text(search, "cursor"),
})
