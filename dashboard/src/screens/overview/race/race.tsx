// The race: one live picture of the engine, from intake to done, to scale and moving at the true rate. Every part leads to its screen.
import type { Overview } from "../../../api/overview.ts"
import { Canals, Channel, Ends, Outlet } from "./basins.tsx"
import { type DrawnRace, doorsShown, drawRace } from "./draw-race.ts"
import { figuresOf, type RaceFigures } from "./figures.ts"
import { Lessons } from "./lessons.tsx"
import { EndParts, OutletParts, WheelPart } from "./lower-parts.tsx"
import { ChannelParts, IntakeParts, StartHere } from "./upper-parts.tsx"
import { useWidth } from "./use-width.ts"
import { StreamOfDrops, Wheel } from "./water.tsx"
import { raceWords } from "./words.ts"

interface Props {
  readonly overview: Overview
  /** The engine has never run anything. */
  readonly isNew: boolean
}

/** Until the width is known there is nothing to draw: the place is kept. */
const UNKNOWN_WIDTH = 1_000

export function Race({ overview, isNew }: Props) {
  const [frame, width] = useWidth<HTMLDivElement>()
  const figures = doorsShown(figuresOf(overview), width ?? UNKNOWN_WIDTH)
  const race = drawRace(figures, width ?? UNKNOWN_WIDTH)
  return (
    <figure
      aria-label="The race: work on its way through the engine"
      className="border-line bg-surface rounded-lg border"
    >
      <ul className="sr-only">
        {raceWords(figures).map((sentence) => (
          <li key={sentence}>{sentence}</li>
        ))}
      </ul>
      {/* When the page becomes narrower the picture is too wide until it is drawn anew. */}
      <div ref={frame} className="relative overflow-x-clip" style={{ height: race.places.height }}>
        {width !== undefined && (
          <>
            <Picture race={race} figures={figures} />
            <Heads race={race} />
            <IntakeParts figures={figures} race={race} />
            <ChannelParts figures={figures} race={race} />
            <WheelPart figures={figures} race={race} />
            <OutletParts figures={figures} race={race} />
            <EndParts figures={figures} race={race} />
            {isNew && <StartHere race={race} />}
          </>
        )}
      </div>
      <figcaption>
        <Lessons figures={figures} jobsPerDrop={race.jobsPerDrop} />
      </figcaption>
    </figure>
  )
}

function Picture({ race, figures }: { readonly race: DrawnRace; readonly figures: RaceFigures }) {
  const { places, channels, outlets, streams } = race
  return (
    <svg aria-hidden="true" width={places.width} height={places.height} className="absolute inset-0">
      <Ends race={race} hasDead={figures.deadLetters > 0} />
      {outlets.map((outlet) => (
        <Outlet key={outlet.key} outlet={outlet} end={places.collector?.x ?? places.done.x} />
      ))}
      {channels.map((channel) => (
        <Channel key={channel.priority} channel={channel} isWet={!figures.isDry} />
      ))}
      {streams.map((stream) => (
        <StreamOfDrops key={stream.key} stream={stream} />
      ))}
      <Canals race={race} isWet={!figures.isDry} />
      <Wheel race={race} />
    </svg>
  )
}

/** What each part is, above it; on a narrow page its own words say it. */
function Heads({ race: { places } }: { readonly race: DrawnRace }) {
  const { doors, channels, wheel, outlets, done, isTall } = places
  const heads: readonly (readonly [string, number])[] = [
    ["Intake", doors[0]?.x ?? 16],
    ["Priorities", (channels[0]?.x ?? 0) + 12],
    ["Workers", wheel.x - wheel.radius],
    ["Downstreams", (outlets[0]?.x ?? 0) + 4],
    ["Done", done.x],
  ]
  return (isTall ? heads.slice(0, 1) : heads).map(([text, left]) => (
    <span key={text} aria-hidden="true" className="text-muted absolute top-2.5 text-xs" style={{ left }}>
      {text}
    </span>
  ))
}
