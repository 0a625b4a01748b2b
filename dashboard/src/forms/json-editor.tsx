// A box for JSON: numbered lines, and what is wrong at its line and in a list that leads there.
import { type ReactNode, useEffect, useId, useMemo, useRef } from "react"
import type { Violation } from "../api/http.ts"
import { cx } from "../kit/classes.ts"
import { Bands, Gutter, LINE_PX, widthOf } from "./json-lines.tsx"
import { type Outline, outlineOf } from "./json-outline.ts"
import { lineStarts, placesOf } from "./json-places.ts"
import { Problems } from "./json-problems.tsx"

interface Props {
  readonly label: ReactNode
  readonly value: string
  readonly onChange: (text: string) => void
  /** What is wrong with what the text says, by path. */
  readonly marks?: readonly Violation[]
  /** Why the text cannot be taken although it is JSON. */
  readonly refusal?: string | undefined
  /** No text at all is fine, too. */
  readonly mayBeEmpty?: boolean
  readonly hint?: string
  /** Lines that are shown at least. */
  readonly minLines?: number
  readonly className?: string
}

const NONE: readonly Violation[] = []
const EMPTY: Outline = { root: undefined, fault: undefined }

export function JsonEditor(props: Props) {
  const { label, value, onChange, marks = NONE, refusal, mayBeEmpty = false, hint, minLines = 8, className } = props
  const id = useId()
  const area = useRef<HTMLTextAreaElement>(null)
  const frame = useRef<HTMLDivElement>(null)
  const lines = useMemo(() => value.split("\n"), [value])
  const outline = useMemo(() => (mayBeEmpty && value.trim() === "" ? EMPTY : outlineOf(value)), [value, mayBeEmpty])
  const places = useMemo(() => {
    const whole = refusal === undefined ? [] : [{ path: "$", message: refusal }]
    return placesOf(value, [...whole, ...marks], outline)
  }, [value, marks, refusal, outline])
  const invalid = outline.fault ? `This is not JSON yet. ${outline.fault.message}.` : refusal
  // A form with text that cannot be taken is not sent: what was typed before would go instead.
  useEffect(() => area.current?.setCustomValidity(invalid ?? ""), [invalid])

  // What was just found wrong comes into sight; typing moves nothing.
  const first = useRef<number>(undefined)
  first.current = places[0]?.line
  const known = useRef<readonly string[]>([])
  const found = marks.map(({ path, message }) => `${path} ${message}`).join("\n")
  useEffect(() => {
    const now = found === "" ? [] : found.split("\n")
    if (now.some((mark) => !known.current.includes(mark))) scrollTo(frame.current, first.current ?? 1)
    known.current = now
  }, [found])

  const jumpTo = (line: number) => {
    const start = lineStarts(value)[line - 1] ?? 0
    area.current?.focus({ preventScroll: true })
    area.current?.setSelectionRange(start, start + (lines[line - 1]?.length ?? 0))
    scrollTo(frame.current, line)
    frame.current?.scrollIntoView({ block: "nearest" })
  }
  return (
    <div className={cx("flex min-w-0 flex-col gap-1", className)}>
      <label htmlFor={id} className="text-muted text-xs font-medium">
        {label}
      </label>
      <div
        ref={frame}
        className={cx(
          "bg-surface focus-within:outline-accent max-h-[65vh] overflow-auto rounded-md border font-mono text-xs leading-5 focus-within:outline-2",
          places.length > 0 ? "border-bad" : "border-line",
        )}
      >
        <div className="relative flex w-max min-w-full">
          <Gutter lines={lines.length} places={places} />
          <div className="relative min-w-0 grow">
            <Bands places={places} lines={lines} />
            <textarea
              ref={area}
              id={id}
              value={value}
              onChange={(event) => onChange(event.target.value)}
              rows={Math.max(lines.length, minLines)}
              wrap="off"
              spellCheck={false}
              autoCapitalize="off"
              autoComplete="off"
              aria-invalid={places.length > 0 || undefined}
              aria-describedby={`${id}-notes`}
              className="relative block w-full resize-none overflow-hidden bg-transparent p-2 whitespace-pre outline-none [tab-size:2]"
              style={{ minWidth: `${widthOf(lines) + 4}ch` }}
            />
          </div>
        </div>
      </div>
      <div id={`${id}-notes`}>
        {places.length > 0 && <Problems places={places} onJump={jumpTo} />}
        {places.length === 0 && hint && <p className="text-muted text-xs">{hint}</p>}
      </div>
    </div>
  )
}

const scrollTo = (frame: HTMLElement | null, line: number): void =>
  frame?.scrollTo({ top: Math.max(0, (line - 4) * LINE_PX), left: 0 })
