// The standing parts of the race: canals, channels with their water and gates, basins before the outlets.
import { cx } from "../../../kit/classes.ts"
import { type DrawnChannel, type DrawnOutlet, type DrawnRace, HELD, lineOf } from "./draw-race.ts"
import type { Box } from "./places.ts"

/** Water between the parts; the gate of all jobs together stands across it. */
export function Canals({ race, isWet }: { readonly race: DrawnRace; readonly isWet: boolean }) {
  const { canal, tailrace, collector } = race.places
  const water = isWet ? "fill-accent-soft stroke-line" : "fill-sunken stroke-line"
  return (
    <>
      {[...canal, tailrace, ...(collector ? [collector] : [])].map((box) => (
        <rect key={`${box.x} ${box.y} ${box.width}`} {...box} rx={5} className={water} />
      ))}
      {/* Where two pieces of the canal meet there is no wall. */}
      {race.isTotalShut && canal[0] && <rect {...canal[0]} rx={5} className="fill-bad" />}
    </>
  )
}

const GATE = { width: 7, lift: 12 }

export function Channel({ channel, isWet }: { readonly channel: DrawnChannel; readonly isWet: boolean }) {
  const { box, feeder, jobs, steps, high, low, isShut } = channel
  const { x, y, width, height } = box
  const bottom = y + height
  const end = x + width
  return (
    <g>
      <rect {...feeder} className={cx("stroke-line", isWet ? "fill-accent-soft" : "fill-sunken")} />
      <rect {...box} rx={3} className="fill-sunken stroke-line" />
      <rect x={x} y={bottom - jobs - steps} width={width} height={steps} className="fill-accent/35" />
      <rect x={x} y={bottom - jobs} width={width} height={jobs} className={isShut ? "fill-bad/70" : "fill-accent/80"} />
      <Mark from={x} to={end} y={bottom - high} isLoud={!isShut} />
      <Mark from={x} to={end} y={bottom - low} isLoud={isShut} />
      <path d={`M${x} ${bottom}H${end}`} strokeWidth={2} className="stroke-muted" />
      <rect x={x - GATE.width / 2 - 3} y={y - GATE.lift} width={2} height={height + GATE.lift} className="fill-muted" />
      <rect x={x + GATE.width / 2 + 1} y={y - GATE.lift} width={2} height={GATE.lift + 4} className="fill-muted" />
      <rect
        data-gate={isShut ? "shut" : "open"}
        x={x - GATE.width / 2}
        y={isShut ? y - 2 : y - GATE.lift - 2}
        width={GATE.width}
        height={isShut ? height + 2 : GATE.lift + 4}
        rx={1.5}
        className={isShut ? "fill-bad" : "fill-good"}
      />
      {channel.isPaused && <Plug box={{ x: end - 4, y: y - 3, width: 6, height: height + 6 }} />}
    </g>
  )
}

/** Where its gate shuts, and where it opens again. */
const Mark = ({ from, to, y, isLoud }: { from: number; to: number; y: number; isLoud: boolean }) => (
  <path
    d={`M${from} ${y}H${to}`}
    strokeDasharray="4 4"
    className={cx("stroke-text", isLoud ? "opacity-80" : "opacity-35")}
  />
)

/** Nothing passes: it is paused, or has asked to be left alone. */
const Plug = ({ box }: { readonly box: Box }) => <rect {...box} rx={2} className="fill-warn" />

export function Outlet({ outlet, end }: { readonly outlet: DrawnOutlet; readonly end: number }) {
  const { box, held, pipe, isClosed, hasNoLimit, hasBasin, isWet } = outlet
  const line = lineOf(box)
  const x = hasBasin ? box.x + HELD : box.x
  const height = 16
  return (
    <g>
      {hasBasin && (
        <rect x={box.x} y={line - height / 2} width={HELD} height={height} className="fill-sunken stroke-line" />
      )}
      <rect
        x={box.x}
        y={line + height / 2 - height * held}
        width={HELD}
        height={height * held}
        className="fill-accent"
      />
      <rect
        x={x}
        y={line - pipe / 2}
        width={end - x}
        height={pipe}
        className={isWet ? "fill-accent-soft" : "fill-sunken"}
      />
      {[-1, 1].map((side) => (
        <path
          key={side}
          d={`M${x} ${line + (side * pipe) / 2}H${end}`}
          strokeDasharray={hasNoLimit ? "3 5" : undefined}
          className="stroke-muted"
        />
      ))}
      {isClosed && <Plug box={{ x: x + 6, y: line - 10, width: 6, height: 20 }} />}
    </g>
  )
}

export function Ends({ race, hasDead }: { readonly race: DrawnRace; readonly hasDead: boolean }) {
  const { done, drain } = race.places
  return (
    <>
      <rect {...done} rx={6} className="fill-good-soft stroke-line" />
      <rect {...drain} rx={6} className={hasDead ? "fill-bad-soft stroke-bad" : "fill-sunken stroke-line"} />
    </>
  )
}
