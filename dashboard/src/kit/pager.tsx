// Next and previous page of a list that is read by cursor. The way back is kept in the browser's history, the page itself in the address.
import { useLocation } from "@tanstack/react-router"
import { LinkButton } from "./button.tsx"

declare module "@tanstack/react-router" {
  interface HistoryState {
    /** Cursors of the pages before this one, the first page's is empty. Gone where the address was opened anew. */
    pages?: readonly string[]
  }
}

interface Props {
  /** Of this page; undefined is the first. */
  readonly cursor: string | undefined
  /** Undefined on the last page. */
  readonly next: string | undefined
  /** What is paged through, for those who do not see it. */
  readonly label: string
}

/** Only the last of them are remembered: a browser keeps no state without end. */
const REMEMBERED = 1_000

export function Pager({ cursor, next, label }: Props) {
  const { state } = useLocation()
  const before = cursor === undefined ? [] : (state.pages ?? [])
  if (cursor === undefined && next === undefined) return null
  const knowsAll = cursor === undefined || before[0] === ""
  const to = (page: string | undefined, pages: readonly string[]) => ({
    to: "." as const,
    search: (search: object) => ({ ...search, cursor: page || undefined }),
    state: { pages },
  })
  return (
    <nav aria-label={label} className="border-line flex flex-wrap items-center gap-2 border-t px-4 py-2.5">
      {cursor !== undefined && <LinkButton {...to(undefined, [])}>First page</LinkButton>}
      {before.length > 0 && <LinkButton {...to(before.at(-1), before.slice(0, -1))}>Previous</LinkButton>}
      {next !== undefined && <LinkButton {...to(next, [...before, cursor ?? ""].slice(-REMEMBERED))}>Next</LinkButton>}
      <p className="text-muted ml-auto text-xs">
        {knowsAll && `Page ${before.length + 1}`}
        {next === undefined && (knowsAll ? ", the last" : "The last page")}
      </p>
    </nav>
  )
}
