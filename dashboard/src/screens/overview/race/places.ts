// Where the parts of the race stand: beside each other on a wide page, below each other on a narrow one.

export interface Box {
  readonly x: number
  readonly y: number
  readonly width: number
  readonly height: number
}

export interface Places {
  readonly width: number
  readonly height: number
  readonly isTall: boolean
  readonly doors: readonly Box[]
  /** Where refused work leaves. */
  readonly overflow: Box
  /** From the doors to the gates: one piece of water, or two that meet at a corner. */
  readonly canal: readonly Box[]
  /** Troughs, without the line of text above each. */
  readonly channels: readonly Box[]
  readonly wheel: { readonly x: number; readonly y: number; readonly radius: number }
  /** From the wheel to the outlets. */
  readonly tailrace: Box
  readonly outlets: readonly Box[]
  /** From the outlets to where they end, where that is not beside them. */
  readonly collector: Box | undefined
  readonly done: Box
  readonly drain: Box
}

export interface Counts {
  readonly doors: number
  readonly outlets: number
}

/** Below this the parts stand below each other. */
const WIDE_FROM = 820
export const LABEL = 20
const CANAL = 10

/** A page that is not laid out yet says a width of nothing. */
const NARROWEST = 240

export const placesOf = (width: number, counts: Counts): Places =>
  width < WIDE_FROM ? tall(Math.max(NARROWEST, width), counts) : wide(width, counts)

const WIDE = { top: 40, bottom: 316, height: 348, channel: 94, trough: 52, door: 42, radius: 58, outlet: 44 }

function wide(width: number, { doors, outlets }: Counts): Places {
  const { top, bottom, height } = WIDE
  const middle = (top + bottom) / 2
  const at = (share: number) => Math.round(width * share)
  const canalX = at(0.155)
  const tailX = at(0.61)
  const done: Box = { x: at(0.885), y: top, width: width - at(0.885) - 16, height: bottom - top - 40 }
  return {
    width,
    height,
    isTall: false,
    doors: spread(doors, { x: 16, y: top, width: canalX - 16, height: bottom - top - 40 }, WIDE.door),
    overflow: { x: 16, y: bottom - 16, width: canalX - 24, height: LABEL },
    canal: [{ x: canalX, y: top, width: CANAL, height: bottom - top }],
    channels: [0, 1, 2].map((n) => ({
      x: at(0.19),
      y: top + LABEL + 4 + n * WIDE.channel,
      width: at(0.435) - at(0.19),
      height: WIDE.trough,
    })),
    wheel: { x: at(0.525), y: middle, radius: WIDE.radius },
    tailrace: { x: tailX, y: top, width: CANAL, height: bottom - top },
    outlets: spread(outlets, { ...done, x: tailX + CANAL, width: done.x - tailX - CANAL }, WIDE.outlet),
    collector: undefined,
    done,
    drain: { x: done.x, y: bottom - 28, width: done.width, height: 28 },
  }
}

const TALL = { door: 36, channel: 60, trough: 26, radius: 50, outlet: 44, end: 44 }

function tall(width: number, { doors, outlets }: Counts): Places {
  const inner = width - 32
  const each = inner / Math.max(1, doors)
  const doorBoxes = Array.from({ length: doors }, (_, n) => ({
    x: 16 + n * each,
    y: 30,
    width: each,
    height: TALL.door,
  }))
  const canalY = 30 + TALL.door + 18
  const channelsY = canalY + CANAL + 8
  const channelsEnd = channelsY + 3 * TALL.channel
  const wheelY = channelsEnd + 16 + TALL.radius
  const outletsY = wheelY + TALL.radius + 28
  const outletsEnd = outletsY + outlets * TALL.outlet
  const endY = outletsEnd + 14
  return {
    width,
    height: endY + TALL.end + 12,
    isTall: true,
    doors: doorBoxes,
    overflow: { x: width - 116, y: 6, width: 100, height: LABEL },
    canal: [
      { x: 16, y: canalY, width: inner, height: CANAL },
      { x: 16, y: canalY, width: CANAL, height: channelsEnd - canalY - 8 },
    ],
    channels: [0, 1, 2].map((n) => ({
      x: 42,
      y: channelsY + LABEL + 2 + n * TALL.channel,
      width: inner - 60,
      height: TALL.trough,
    })),
    wheel: { x: width / 2, y: wheelY, radius: TALL.radius },
    tailrace: { x: 16, y: outletsY - 14, width: CANAL, height: outletsEnd - outletsY + 14 },
    outlets: spread(outlets, { x: 26, y: outletsY, width: inner - 20, height: outletsEnd - outletsY }, TALL.outlet),
    collector: { x: width - 26, y: outletsY, width: CANAL, height: endY - outletsY },
    done: { x: 16 + inner / 2 + 8, y: endY, width: inner / 2 - 8, height: TALL.end },
    drain: { x: 16, y: endY, width: inner / 2 - 8, height: TALL.end },
  }
}

/** Places `count` rows of one height in the middle of a box, closer together where there are too many. */
function spread(count: number, within: Box, height: number): readonly Box[] {
  const step = Math.min(height, within.height / Math.max(1, count))
  const y = within.y + (within.height - count * step) / 2
  return Array.from({ length: count }, (_, n) => ({
    x: within.x,
    y: y + n * step,
    width: within.width,
    height: step,
  }))
}
