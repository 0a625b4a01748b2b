// The moving parts of the race: a stream whose drops pass at the true rate, and the wheel that they turn.
import { cx } from "../../../kit/classes.ts"
import type { DrawnRace, Stream } from "./draw-race.ts"
import { useMotion } from "./use-motion.ts"

/** From one drop to the next, in pixels. */
const SPACING = 24
const FLOW: Keyframe[] = [{ strokeDashoffset: "0" }, { strokeDashoffset: `${-SPACING}` }]
const TURN: Keyframe[] = [{ transform: "rotate(0deg)" }, { transform: "rotate(360deg)" }]

export function StreamOfDrops({ stream: { path, width, drops, tone } }: { readonly stream: Stream }) {
  const line = useMotion<SVGPathElement>(FLOW, drops)
  return (
    <g className="fill-none">
      {width > 0 && <path d={path} strokeWidth={width + 2} className="stroke-line" />}
      {width > 0 && <path d={path} strokeWidth={width} className={bedOf(tone, drops > 0)} />}
      <path
        ref={line}
        d={path}
        strokeWidth={5}
        strokeLinecap="round"
        strokeDasharray={`0.1 ${SPACING - 0.1}`}
        visibility={drops > 0 ? "visible" : "hidden"}
        className={tone === "bad" ? "stroke-bad" : "stroke-accent"}
      />
    </g>
  )
}

const bedOf = (tone: Stream["tone"], isWet: boolean): string =>
  isWet ? (tone === "bad" ? "stroke-bad-soft" : "stroke-accent-soft") : "stroke-sunken"

export function Wheel({ race: { places, wheel } }: { readonly race: DrawnRace }) {
  const { x, y, radius } = places.wheel
  const rim = useMotion<SVGGElement>(TURN, wheel.turnsPerSecond)
  return (
    <g transform={`translate(${x} ${y})`}>
      <circle r={radius} className="fill-surface stroke-line" strokeWidth={1.5} />
      <g ref={rim}>
        {anglesOf(SPOKES).map((angle) => (
          <path key={angle} d={`M0 0V${-radius}`} transform={`rotate(${angle})`} className="stroke-line" />
        ))}
        {anglesOf(wheel.paddles).map((angle, n) => (
          <Paddle key={angle} angle={angle} radius={radius} isBusy={n < wheel.busy} />
        ))}
      </g>
      <circle r={radius * 0.62} className="fill-surface stroke-line" strokeWidth={1.5} />
    </g>
  )
}

/** A wheel is one also with a single worker. */
const SPOKES = 8

const anglesOf = (count: number): readonly number[] => Array.from({ length: count }, (_, n) => (360 / count) * n)

interface PaddleProps {
  readonly angle: number
  readonly radius: number
  readonly isBusy: boolean
}

/** One worker, filled while it has a job. */
const Paddle = ({ angle, radius, isBusy }: PaddleProps) => (
  <rect
    transform={`rotate(${angle})`}
    x={-4}
    y={-radius - 3}
    width={8}
    height={radius * 0.4}
    rx={2}
    strokeWidth={1.5}
    className={cx("stroke-accent", isBusy ? "fill-accent" : "fill-surface")}
  />
)
