// Words of a page that are drawn on two lines: none should be, but for ids and code, which are in mono.
import type { Page } from "playwright-core"

/** Each with the words around it, so that it is found. */
export const brokenWords = (page: Page): Promise<string[]> => page.evaluate(findBroken)

/** Runs in the page: it knows nothing but what is inside it. */
function findBroken(): string[] {
  const isMono = (element: Element) => /mono/i.test(getComputedStyle(element).fontFamily)
  const isSeen = (element: Element) => element.checkVisibility({ visibilityProperty: true, opacityProperty: true })
  const linesOf = (range: Range): number => {
    const tops = [...range.getClientRects()].filter(({ width }) => width > 0).map(({ top }) => top)
    return new Set(tops.map((top) => Math.round((top - (tops[0] ?? 0)) / 6))).size
  }
  const found: string[] = []
  const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT)
  for (let node = walker.nextNode(); node; node = walker.nextNode()) {
    const { data, parentElement: parent } = node as Text
    if (!parent || data.trim() === "" || isMono(parent) || !isSeen(parent)) continue
    for (const match of data.matchAll(/[\p{L}\p{N}]+/gu)) {
      const range = document.createRange()
      range.setStart(node, match.index)
      range.setEnd(node, match.index + match[0].length)
      if (linesOf(range) > 1)
        found.push(`${match[0].slice(0, 40)} in <${parent.tagName.toLowerCase()}> ${data.trim().slice(0, 60)}`)
    }
  }
  return found
}
