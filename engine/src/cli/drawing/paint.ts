// Colour, for a terminal that wants it: the words are the same without.
import { styleText } from "node:util"
import type { Screen } from "../terminal/surroundings.ts"

export type Style = "bold" | "dim" | "red" | "green" | "yellow" | "cyan"
export type Paint = (style: Style, text: string) => string

export const plain: Paint = (_style, text) => text
const coloured: Paint = (style, text) => styleText(style, text, { validateStream: false })

/** NO_COLOR set to anything turns it off, as its convention has it. */
export const wantsColour = ({ isTTY }: Screen, { NO_COLOR, TERM }: NodeJS.ProcessEnv): boolean =>
  isTTY === true && !NO_COLOR && TERM !== "dumb"

export const painterFor = (screen: Screen, env: NodeJS.ProcessEnv): Paint =>
  wantsColour(screen, env) ? coloured : plain
