// A part of the race as a link: its figures stand on it, and all it has to say is shown when it is pointed at.
import { createLink } from "@tanstack/react-router"
import type { AnchorHTMLAttributes, ReactNode } from "react"
import { cx } from "../../../kit/classes.ts"
import { Words } from "../../../kit/cut-text.tsx"
import type { Box } from "./places.ts"

interface Props extends AnchorHTMLAttributes<HTMLAnchorElement> {
  readonly box: Box
  /** The width of the picture. The words are not cut off at its right edge. */
  readonly pictureWidth: number
  readonly words: readonly string[]
  readonly children: ReactNode
}

const WORDS_WIDTH = 264

function Part({ box: { x, y, width, height }, pictureWidth, words, children, className, ...rest }: Props) {
  const left = Math.min(0, pictureWidth - 8 - WORDS_WIDTH - x)
  return (
    <a
      {...rest}
      className={cx("group text-text absolute block rounded-md text-xs hover:no-underline", className)}
      style={{ left: x, top: y, width, height }}
    >
      <span className="sr-only">{words.join(" ")}</span>
      <span aria-hidden="true" className="contents">
        {children}
      </span>
      <span
        aria-hidden="true"
        className="border-line bg-surface text-text pointer-events-none absolute top-full z-10 mt-1 hidden flex-col gap-1 rounded-md border px-3 py-2 text-left text-xs font-normal shadow-lg group-hover:flex group-focus-visible:flex"
        style={{ left: Math.max(left, 8 - x), width: Math.min(WORDS_WIDTH, pictureWidth - 16) }}
      >
        {words.map((sentence) => (
          <span key={sentence}>
            <Words text={sentence} />
          </span>
        ))}
      </span>
    </a>
  )
}

export const PartLink = createLink(Part)
