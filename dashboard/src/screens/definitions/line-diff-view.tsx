// Two versions line by line, as one text with what went and what came.
import { useMemo } from "react"
import type { Definition } from "../../api/definitions.ts"
import { cx } from "../../kit/classes.ts"
import { comparableText } from "./definition-diff.ts"
import { type DiffLine, hunksOf, lineDiff } from "./line-diff.ts"

const LOOKS = {
  same: { sign: " ", look: "" },
  added: { sign: "+", look: "bg-good-soft" },
  removed: { sign: "-", look: "bg-bad-soft" },
} as const

export function LineDiff({ before, after }: { readonly before: Definition; readonly after: Definition }) {
  const hunks = useMemo(
    () => hunksOf(lineDiff(comparableText(before).split("\n"), comparableText(after).split("\n"))),
    [before, after],
  )
  return (
    <section aria-label="Line by line">
      <h3 className="mb-1 font-semibold">Line by line</h3>
      <p className="text-muted mb-1 text-xs">
        With the keys of both in one order: only what means something else is marked.
      </p>
      <section
        aria-label="Lines"
        tabIndex={0}
        className="border-line max-h-[36rem] overflow-auto rounded-md border font-mono text-xs leading-5"
      >
        <div className="w-max min-w-full py-1">
          {hunks.map((hunk, index) =>
            "skipped" in hunk ? (
              // biome-ignore lint/suspicious/noArrayIndexKey: hunks have no name but their place.
              <p key={index} className="bg-sunken text-muted px-3 py-0.5 font-sans">
                {hunk.skipped === 1 ? "1 line" : `${hunk.skipped} lines`} as before
              </p>
            ) : (
              // biome-ignore lint/suspicious/noArrayIndexKey: hunks have no name but their place.
              <Lines key={index} lines={hunk.lines} />
            ),
          )}
        </div>
      </section>
    </section>
  )
}

const Lines = ({ lines }: { readonly lines: readonly DiffLine[] }) =>
  lines.map(({ kind, text }, index) => (
    // biome-ignore lint/suspicious/noArrayIndexKey: lines have no name but their place.
    <pre key={index} className={cx("px-3", LOOKS[kind].look)}>
      {LOOKS[kind].sign} {text}
    </pre>
  ))
