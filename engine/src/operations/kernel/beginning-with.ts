// The range of texts that begin with a text, in the order of their code points.

/** No text sorts behind it that a key could have. */
const LAST = "\u{10FFFF}".repeat(256)
const LAST_POINT = 0x10ffff
/** Behind it are the surrogates, which no text has alone. */
const BEFORE_SURROGATES = 0xd7ff
const AFTER_SURROGATES = 0xe000

export const beginningWith = (prefix: string): { readonly fromKey: string; readonly beforeKey: string } => ({
  fromKey: prefix,
  beforeKey: firstBehind([...prefix]),
})

/** The first text that is behind all that begin with these characters. */
function firstBehind(characters: string[]): string {
  const point = characters.pop()?.codePointAt(0)
  if (point === undefined) return LAST
  if (point === LAST_POINT) return firstBehind(characters)
  return characters.join("") + String.fromCodePoint(point === BEFORE_SURROGATES ? AFTER_SURROGATES : point + 1)
}
