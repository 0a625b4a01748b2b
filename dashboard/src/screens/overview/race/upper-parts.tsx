// The first half of the race as links: the doors, what is refused, and the channels.
import { Link } from "@tanstack/react-router"
import type { PriorityInView } from "../../../api/overview.ts"
import { cx } from "../../../kit/classes.ts"
import { count, rate, short } from "../../../kit/numbers.ts"
import { durationText } from "../../../kit/time.tsx"
import type { DrawnRace } from "./draw-race.ts"
import type { DoorFigure, DoorName, RaceFigures } from "./figures.ts"
import { PartLink } from "./part-link.tsx"
import { type Box, LABEL } from "./places.ts"
import { channelWords, DOOR_NAMES, doorWords, refusedWords } from "./words.ts"

export interface PartsProps {
  readonly figures: RaceFigures
  readonly race: DrawnRace
}

/** The screen that shows what came by a door. */
const SCREEN_OF: Readonly<Record<DoorName, "/instances" | "/schedules" | "/events" | "/jobs">> = {
  rest: "/instances",
  grpc: "/instances",
  library: "/instances",
  kafka: "/events",
  schedule: "/schedules",
  sql: "/instances",
}

export function IntakeParts({ figures, race: { places } }: PartsProps) {
  return (
    <>
      {figures.doors.map((door, n) => (
        <Door
          key={door.door}
          door={door}
          box={places.doors[n] as Box}
          pictureWidth={places.width}
          isTall={places.isTall}
        />
      ))}
      {figures.refused > 0 && (
        <PartLink
          to="/queues"
          box={places.overflow}
          pictureWidth={places.width}
          words={refusedWords(figures)}
          className={places.isTall ? "text-right" : ""}
        >
          <span className="text-bad pr-2 font-medium whitespace-nowrap">{rate(figures.refused)}/s refused</span>
        </PartLink>
      )}
    </>
  )
}

interface DoorProps {
  readonly isTall: boolean
  readonly door: DoorFigure
  readonly box: Box
  readonly pictureWidth: number
}

const Door = ({ door, box, pictureWidth, isTall }: DoorProps) => (
  <PartLink to={SCREEN_OF[door.door]} box={box} pictureWidth={pictureWidth} words={doorWords(door)}>
    <span className={cx("flex gap-x-1.5 overflow-hidden pt-1 leading-4 whitespace-nowrap", isTall && "justify-center")}>
      <span className="font-medium">{DOOR_NAMES[door.door]}</span>
      <span className="text-muted tabular-nums">{rate(door.accepted)}/s</span>
      {door.refused > 0 && <span className="text-bad tabular-nums">−{rate(door.refused)}/s</span>}
    </span>
  </PartLink>
)

export const ChannelParts = ({ figures, race: { places } }: PartsProps) =>
  figures.channels.map((channel, n) => {
    const trough = places.channels[n] as Box
    const box = { ...trough, y: trough.y - LABEL - 2, height: trough.height + LABEL + 2 }
    return (
      <PartLink
        key={channel.name}
        to="/jobs"
        search={{ priority: channel.name }}
        box={box}
        pictureWidth={places.width}
        words={channelWords(channel)}
      >
        <span className="flex items-baseline justify-between gap-2 overflow-hidden pl-3 leading-4 whitespace-nowrap">
          <span className="font-medium">
            {channel.name}
            {channel.shut && <span className="text-bad"> · shut</span>}
            {channel.paused && <span className="text-warn"> · paused</span>}
          </span>
          <span className="text-muted min-w-0 truncate tabular-nums">{depthText(channel)}</span>
        </span>
      </PartLink>
    )
  })

function depthText({ depth, steps, highWatermark, oldestWaitingSeconds: oldest }: PriorityInView): string {
  const parts = [`${count(depth)} of ${short(highWatermark)}`]
  if (steps > 0) parts.push(`${short(steps)} ${steps === 1 ? "step" : "steps"}`)
  if (oldest !== null && oldest >= 1) parts.push(durationText(oldest * 1_000))
  return parts.join(" · ")
}

/** On an engine that has never run anything: where to begin. */
export const StartHere = ({ race: { places } }: Pick<PartsProps, "race">) => (
  <Link
    to="/"
    hash="first-steps"
    className="border-accent bg-accent-soft text-accent absolute rounded-full border px-3 py-1 text-sm font-medium"
    style={{ left: 16, top: places.overflow.y - (places.isTall ? 2 : 12) }}
  >
    Start here
  </Link>
)
