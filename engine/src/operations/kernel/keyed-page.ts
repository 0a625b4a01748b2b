// A page of a list by the beginning of its keys: what a list of jobs and one of instances have in common.

export interface KeyedPage<View> {
  readonly items: readonly View[]
  /** There may be more, also after a page with few: a filter is applied to so many keys at a time. */
  readonly nextCursor?: string
}

/** How many keys are read for one page: the filter is applied to them. */
export const KEYS_LOOKED_AT = 1_000
