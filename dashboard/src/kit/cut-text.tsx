// Text that may be longer than its place. No word breaks: text is cut at its end, a name in its middle, and all of it is on hover.
import { cx } from "./classes.ts"

interface Props {
  readonly text: string
  readonly className?: string
}

/** Free text on one line. */
export const CutText = ({ text, className }: Props) => (
  <span title={text} className={cx("block truncate", className)}>
    {firstLine(text)}
  </span>
)

/** The first line of an error. The stack is below it. */
export const firstLine = (text: string): string => text.split("\n", 1)[0] || text.trim()

/** Up to here a name fits nearly everywhere, and is not taken apart. */
const SHORT = 24
/** What stays of the end, where ids and generated names differ. */
const TAIL = 8

/** A name or an id on one line. Two halves are drawn, of which the first gives way; read and copied it is one text. */
export function CutName({ text, className }: Props) {
  if (text.length <= SHORT)
    return (
      <span title={text} className={cx("inline-block max-w-full truncate align-bottom", className)}>
        {text}
      </span>
    )
  const at = tailStart(text)
  return (
    <span title={text} dir="auto" className={cx("relative inline-flex max-w-full min-w-0 align-bottom", className)}>
      <span className="sr-only select-none">{text}</span>
      <span aria-hidden="true" className="min-w-0 truncate whitespace-pre">
        {text.slice(0, at)}
      </span>
      <span aria-hidden="true" className="shrink-0 whitespace-pre">
        {text.slice(at)}
      </span>
    </span>
  )
}

/** Not between the two halves of one character. */
function tailStart(text: string): number {
  const at = text.length - TAIL
  return /[\uDC00-\uDFFF]/.test(text.charAt(at)) ? at - 1 : at
}

/** Free text on several lines: it wraps between its words, and a word that is too long for a line is cut in its middle. */
export const Words = ({ text }: { readonly text: string }) =>
  text.split(/(\S{25,})/).map((part, index) => {
    // biome-ignore lint/suspicious/noArrayIndexKey: the parts of one text stay in their places.
    return index % 2 === 0 ? part : <CutName key={index} text={part} />
  })
