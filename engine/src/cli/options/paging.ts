// `--limit`: how much of a list is shown, over as many pages of the engine as that takes.
import type { Command } from "commander"
import { positiveWhole } from "./numbers.ts"

const LIMIT = 20
/** The engine gives no more at a time. */
const PAGE = 200

export interface LimitOption {
  readonly limit: number
}

export const withLimit = (command: Command, limit = LIMIT): Command =>
  command.option("--limit <n>", "at most this many", positiveWhole, limit)

/** The cursor has two names on the wire: the routes of queues write theirs with a low line. */
interface Page {
  readonly items: readonly unknown[]
  readonly nextCursor?: string
  readonly next_cursor?: string
}

const cursorOf = ({ nextCursor, next_cursor = nextCursor }: Page): string | undefined => next_cursor

/**
 * The last page that was read, with the items of all before it; its cursor goes on from there. A page that is not full ends it, unless it
 * is empty: the engine looks at a bounded number of rows for one page, and those that fit may come later.
 */
export async function readUpTo<P extends Page>(
  limit: number,
  read: (query: { readonly pageSize: number; readonly cursor?: string }) => Promise<P>,
): Promise<P> {
  let page = await read({ pageSize: Math.min(limit, PAGE) })
  let items = page.items
  const goesOn = () => page.items.length === PAGE || page.items.length === 0
  for (let cursor = cursorOf(page); cursor !== undefined && goesOn(); cursor = cursorOf(page)) {
    if (items.length === limit) break
    page = await read({ pageSize: Math.min(limit - items.length, PAGE), cursor })
    items = [...items, ...page.items]
  }
  return { ...page, items }
}
