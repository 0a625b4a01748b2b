// Text on one line, cut where there is no more room; all of it on hover.
import { cx } from "./classes.ts"

export const CutText = ({ text, className }: { readonly text: string; readonly className?: string }) => (
  <span title={text} className={cx("block truncate", className)}>
    {firstLine(text)}
  </span>
)

/** Of an error: what comes below it is its stack. */
export const firstLine = (text: string): string => text.split("\n", 1)[0] || text.trim()
