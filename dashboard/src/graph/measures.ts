// How large things are in the graph. The words on a line are cut where they would be too long, and set in letters of one width.
export const NODE_WIDTH = 224
const LINE_HEIGHT = 16

/** Room for the name and for `lines` below it. */
export const nodeHeight = (lines: number): number => 34 + LINE_HEIGHT * Math.max(1, lines)

export const BETWEEN_ROWS = 28
/** How far from a corner of its node a line begins. */
export const INSET = 18

const MAX_LENGTH = 26
/** The width of a character of JetBrains Mono at 12 pixels: six tenths of the height. */
const CHARACTER = 7.2

export const LABEL_HEIGHT = 18

export const labelText = (label: string): string =>
  label.length > MAX_LENGTH ? `${label.slice(0, MAX_LENGTH - 1)}…` : label

export const labelWidth = (label: string): number => labelText(label).length * CHARACTER + 12
