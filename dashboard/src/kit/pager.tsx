// Next and previous page of a list that is read by cursor. The way back is kept in the browser's history, the page itself in the address.
import { useLocation } from "@tanstack/react-router"
import type { ReactNode } from "react"
import { LinkButton } from "./button.tsx"

declare module "@tanstack/react-router" {
  interface HistoryState {
    /** Cursors of the pages before this one, the first page's is empty. Gone where the address was opened anew. */
    pages?: readonly string[]
  }
}

interface Props {
  /** The cursor of this page. Undefined on the first page. */
  readonly cursor: string | undefined
  /** Undefined on the last page. */
  readonly next: string | undefined
  /** What is paged through, for those who do not see it. */
  readonly label: string
  /** A name in the address that belongs to the page that is left. */
  readonly drops?: string
}

/** Only the last of them are remembered: a browser keeps no state without end. */
const REMEMBERED = 1_000

export function Pager({ cursor, next, label, drops }: Props) {
  const { state } = useLocation()
  const before = cursor === undefined ? [] : (state.pages ?? [])
  if (cursor === undefined && next === undefined) return null
  const knowsAll = cursor === undefined || before[0] === ""
  const to = (page: string | undefined, pages: readonly string[]) => ({
    to: "." as const,
    search: (search: object) => ({ ...search, cursor: page || undefined, ...(drops ? { [drops]: undefined } : {}) }),
    state: { pages },
  })
  return (
    <PagerBar label={label} words={wordsOf(knowsAll ? before.length + 1 : undefined, next === undefined)}>
      {cursor !== undefined && <LinkButton {...to(undefined, [])}>First page</LinkButton>}
      {before.length > 0 && <LinkButton {...to(before.at(-1), before.slice(0, -1))}>Previous</LinkButton>}
      {next !== undefined && <LinkButton {...to(next, [...before, cursor ?? ""].slice(-REMEMBERED))}>Next</LinkButton>}
    </PagerBar>
  )
}

function wordsOf(page: number | undefined, isLast: boolean): string {
  if (page === undefined) return isLast ? "The last page" : ""
  return isLast ? `Page ${page}, the last` : `Page ${page}`
}

interface BarProps {
  readonly label: string
  /** Which page it is. */
  readonly words: string
  /** The links to other pages. */
  readonly children: ReactNode
}

export const PagerBar = ({ label, words, children }: BarProps) => (
  <nav aria-label={label} className="border-line flex flex-wrap items-center gap-2 border-t px-4 py-2.5">
    {children}
    <p className="text-muted ml-auto text-xs">{words}</p>
  </nav>
)
