// The second half of the race as links: the wheel, the outlets, what is done, and the drain.
import { cx } from "../../../kit/classes.ts"
import { CutName } from "../../../kit/cut-text.tsx"
import { count, rate, short } from "../../../kit/numbers.ts"
import type { OutletFigure } from "./figures.ts"
import { PartLink } from "./part-link.tsx"
import type { Box } from "./places.ts"
import type { PartsProps } from "./upper-parts.tsx"
import { doneWords, drainWords, outletWords, wheelWords } from "./words.ts"

export function WheelPart({ figures, race: { places } }: PartsProps) {
  const { x, y, radius } = places.wheel
  const box = { x: x - radius, y: y - radius, width: 2 * radius, height: 2 * radius }
  return (
    <PartLink to="/workers" box={box} pictureWidth={places.width} words={wheelWords(figures)} className="rounded-full">
      <span className="flex h-full flex-col items-center justify-center leading-4">
        <span className="font-semibold tabular-nums">
          {short(figures.busy)} of {short(figures.workers)}
        </span>
        <span className="text-muted">busy</span>
        <span className="text-muted tabular-nums">{rate(figures.claimed)}/s</span>
      </span>
    </PartLink>
  )
}

/** The text and the pipe of an outlet, close together: what is more goes above them. */
const OUTLET_LEAST = 38

export const OutletParts = ({ figures, race: { places } }: PartsProps) =>
  figures.outlets.map((outlet, n) => (
    <PartLink
      key={`${outlet.kind} ${outlet.name}`}
      to="/queues"
      hash="downstreams"
      box={{ ...(places.outlets[n] as Box), width: (places.outlets[n] as Box).width - 6 }}
      pictureWidth={places.width}
      words={outletWords(outlet)}
    >
      <span
        className="flex items-baseline justify-between gap-2 pl-1 leading-4 whitespace-nowrap"
        style={{ paddingTop: Math.max(0, (places.outlets[n] as Box).height - OUTLET_LEAST) }}
      >
        <OutletName outlet={outlet} />
        <span className="text-muted shrink-0 tabular-nums">
          {outlet.held > 0 && <span className="text-text">{short(outlet.held)} held · </span>}
          {paceText(outlet)}
        </span>
      </span>
    </PartLink>
  ))

const OutletName = ({ outlet: { kind, name, isPaused, isPushedBack } }: { readonly outlet: OutletFigure }) => (
  <span className="flex min-w-0 items-baseline gap-1">
    {kind === "direct" ? (
      <span className="text-muted truncate">no downstream</span>
    ) : (
      <CutName text={name} className="font-medium" />
    )}
    {isPaused && <span className="text-warn">paused</span>}
    {isPushedBack && <span className="text-bad">pushed back</span>}
  </span>
)

const paceText = ({ perSecond, pace }: OutletFigure): string =>
  pace === undefined ? `${rate(perSecond)}/s` : `${rate(perSecond)} of ${rate(pace)}/s`

export function EndParts({ figures, race: { places } }: PartsProps) {
  const { deadLetters, deadLettersAreExact } = figures
  return (
    <>
      <PartLink
        to="/instances"
        search={{ status: "COMPLETED" }}
        box={places.done}
        pictureWidth={places.width}
        words={doneWords(figures)}
      >
        <span className="text-good flex h-full flex-col items-center justify-center">
          <span className={cx("font-semibold tabular-nums", places.isTall ? "text-base" : "text-xl")}>
            {rate(figures.done)}/s
          </span>
          <span>done</span>
        </span>
      </PartLink>
      <PartLink to="/dead-letters" box={places.drain} pictureWidth={places.width} words={drainWords(figures)}>
        <span
          className={cx(
            "flex h-full items-center justify-center gap-1 overflow-hidden px-1 whitespace-nowrap",
            deadLetters > 0 ? "text-bad font-medium" : "text-muted",
          )}
        >
          <span className="tabular-nums">{count(deadLetters, deadLettersAreExact)}</span> dead
        </span>
      </PartLink>
    </>
  )
}
