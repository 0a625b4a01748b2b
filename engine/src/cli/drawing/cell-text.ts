// Text from outside as it may stand in one line of a terminal; and how wide it is there.
import { safeText } from "../../support/redact.ts"

const WIDE =
  /[\u1100-\u115f\u2e80-\u303e\u3041-\ua4cf\uac00-\ud7a3\uf900-\ufaff\ufe30-\ufe6f\uff00-\uff60\uffe0-\uffe6\u{20000}-\u{3fffd}]|\p{Emoji_Presentation}/u

/** One line: breaks become blanks, what would move the cursor is spelt out, secrets are masked. */
export const cellText = (value: unknown): string =>
  safeText((typeof value === "string" ? value : (JSON.stringify(value) ?? "")).replace(/\s+/g, " ").trim())

/** In columns of a terminal: a Chinese character takes two, an accent of its own none. */
export function widthOf(text: string): number {
  if (/^[\x20-\x7e]*$/.test(text)) return text.length
  let width = 0
  for (const character of text) width += columnsOf(character)
  return width
}

const columnsOf = (character: string): number => (/\p{M}/u.test(character) ? 0 : WIDE.test(character) ? 2 : 1)

/** At most so wide; what is cut off leaves a mark. */
export function cut(text: string, width: number): string {
  if (widthOf(text) <= width) return text
  let kept = ""
  let used = 0
  for (const character of text) {
    used += columnsOf(character)
    if (used > width - 1) break
    kept += character
  }
  return width > 0 ? `${kept}…` : ""
}

/** In lines of at most that width, between words; a word that is wider is cut. */
export function wrap(text: string, width: number): readonly string[] {
  const lines: string[] = []
  for (const word of text.split(" ")) {
    const longer = `${lines.at(-1)} ${word}`
    if (lines.length > 0 && widthOf(longer) <= width) lines[lines.length - 1] = longer
    else lines.push(cut(word, width))
  }
  return lines
}

export const pad = (text: string, width: number, align: "left" | "right" = "left"): string => {
  const blanks = " ".repeat(Math.max(0, width - widthOf(text)))
  return align === "right" ? blanks + text : text + blanks
}

const INVISIBLE = /(?!\n)[\p{Cc}\p{Cf}\u2028\u2029]/gu

/** One JSON document. JSON leaves alone what a terminal would obey; spelt out it means the same. */
export const jsonText = (value: unknown, indent?: number): string =>
  JSON.stringify(value, null, indent).replace(INVISIBLE, (character) =>
    Array.from({ length: character.length }, (_, at) => spelt(character.charCodeAt(at))).join(""),
  )

const spelt = (unit: number): string => `\\u${unit.toString(16).padStart(4, "0")}`

/** Quotes the text so that a shell reads it as one word. */
export const shellWord = (text: string): string =>
  /^[\w.:/@-]+$/.test(text) ? text : `'${safeText(text).replaceAll("'", "'\\''")}'`
