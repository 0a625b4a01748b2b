// One plot over time: an area with its axes, a marked value, and ticks where something happened.

export interface Bar {
  readonly second: number
  readonly value: number
}

export interface Plot {
  /** The class of the area. */
  readonly kind: string
  readonly unit: string
  readonly top: number
  readonly bottom: number
  readonly x: { readonly from: number; readonly to: number; readonly seconds: number }
  readonly bars: readonly Bar[]
  readonly mark: { readonly value: number; readonly label: string }
  /** Seconds. */
  readonly losses?: readonly number[]
}

const TICKS = 4

export function plot({ kind, unit, top, bottom, x, bars, mark, losses = [] }: Plot): string {
  const step = niceStep(Math.max(...bars.map(({ value }) => value), 1) / TICKS)
  const most = step * Math.ceil(Math.max(...bars.map(({ value }) => value), 1) / step)
  const toX = (second: number) => round(x.from + ((x.to - x.from) * second) / x.seconds)
  const toY = (value: number) => round(bottom - ((bottom - top) * value) / most)
  const outline = bars.map(({ second, value }) => `V${toY(value)}H${toX(second + 1)}`).join("")
  return [
    `<text class="axis" x="${x.from}" y="${top - 10}">${unit}</text>`,
    ...upTo(most, step).map((value) => horizontal(x, toY(value), value)),
    `<path class="${kind}" d="M${toX(0)} ${bottom}${outline}V${bottom}Z"/>`,
    `<path class="base" d="M${x.from} ${bottom}H${x.to}"/>`,
    ...upTo(x.seconds, niceStep(x.seconds / 8)).map((second) => tick(toX(second), bottom, second)),
    ...losses.map((second) => `<path class="loss" d="M${toX(second)} ${bottom}v8"/>`),
    `<path class="mark" d="M${x.from} ${toY(mark.value)}H${x.to}"/>`,
    `<text class="label" x="${x.to}" y="${top - 10}" text-anchor="end">${mark.label}</text>`,
  ].join("\n")
}

const horizontal = (x: Plot["x"], y: number, value: number): string =>
  `<path class="grid" d="M${x.from} ${y}H${x.to}"/><text class="tick" x="${x.from - 8}" y="${y + 4}" text-anchor="end">${value.toLocaleString("en")}</text>`

const tick = (x: number, bottom: number, second: number): string =>
  `<path class="base" d="M${x} ${bottom}v4"/><text class="tick" x="${x}" y="${bottom + 20}" text-anchor="middle">${second}</text>`

const upTo = (most: number, step: number): number[] =>
  Array.from({ length: Math.floor(most / step) + 1 }, (_, at) => at * step)

/** 1, 2 or 5 times a power of ten. */
function niceStep(wanted: number): number {
  const power = 10 ** Math.floor(Math.log10(wanted))
  const factor = [1, 2, 5, 10].find((candidate) => candidate * power >= wanted) ?? 10
  return Math.max(1, factor * power)
}

const round = (value: number): number => Math.round(value * 10) / 10
