// Moves through a list: j and k to the next and previous row, x selects it, Enter or a click anywhere on the row opens it.
import { type RefObject, useEffect, useRef } from "react"
import { useKeys } from "./keys.ts"

/** Put on the one link of a row that opens it. */
export const ROW_LINK = { "data-row": "" } as const

const linksIn = (list: HTMLElement | null): HTMLElement[] => [
  ...(list?.querySelectorAll<HTMLElement>("[data-row]") ?? []),
]

/** Where the focus is; else what is open, so that one goes on from there. */
const rowOf = (list: HTMLElement | null): Element | null =>
  (list?.contains(document.activeElement) ? document.activeElement?.closest("tr") : null) ??
  list?.querySelector("[data-row][aria-current]")?.closest("tr") ??
  null

/** The ref goes around the table. `onMove` gets the link that j or k moved to. */
export function useRowKeys(onMove?: (link: HTMLElement) => void): RefObject<HTMLDivElement | null> {
  const list = useRef<HTMLDivElement>(null)
  const move = (step: 1 | -1) => {
    const links = linksIn(list.current)
    const row = rowOf(list.current)
    const at = links.findIndex((link) => row?.contains(link))
    const next = at < 0 ? links[0] : links[Math.min(links.length - 1, Math.max(0, at + step))]
    next?.focus()
    if (next) onMove?.(next)
  }
  useKeys({
    j: () => move(1),
    k: () => move(-1),
    x: () => rowOf(list.current)?.querySelector<HTMLElement>("input[type=checkbox]")?.click(),
  })
  useEffect(() => {
    const element = list.current
    element?.addEventListener("click", openRow)
    return () => element?.removeEventListener("click", openRow)
  }, [])
  return list
}

/** A click beside what can be clicked by itself; marking text is none. */
function openRow(event: MouseEvent): void {
  const target = event.target as Element
  if (target.closest("a, button, input, label, summary") || getSelection()?.isCollapsed === false) return
  target.closest("tbody tr")?.querySelector<HTMLElement>("[data-row]")?.click()
}
