// Small harm: to one place of a value, to a text, to bytes.
import type { Dice } from "./dice.ts"
import { oddJson, oddNumber, oddText, oddToken } from "./odd-values.ts"

/** The value with one place of it changed; the value itself is left alone. */
export function harmValue(dice: Dice, value: unknown): unknown {
  const copy = structuredClone(value)
  const places = placesOf(copy)
  if (places.length === 0) return oddJson(dice)
  const { holder, key } = dice.pick(places)
  const at = dice.between(0, 6)
  if (at === 0) delete holder[key]
  else if (at === 1) holder[key] = oddNumber(dice)
  else if (at <= 3) holder[key] = oddText(dice)
  else if (at === 4) holder[key] = oddJson(dice)
  else if (at === 5) holder[dice.chance(0.5) ? oddText(dice) : "unknownField"] = oddText(dice)
  else holder[key] = dice.pick([null, [], {}, [holder[key]], String(holder[key])])
  return copy
}

interface Place {
  readonly holder: Record<string, unknown>
  readonly key: string
}

function placesOf(value: unknown, found: Place[] = []): Place[] {
  if (typeof value !== "object" || value === null) return found
  for (const [key, inner] of Object.entries(value)) {
    found.push({ holder: value as Record<string, unknown>, key })
    placesOf(inner, found)
  }
  return found
}

/** JSON as no program of ours would write it: a key twice, a number that no double holds, white space. */
export function harmJson(dice: Dice, json: string): string {
  const at = dice.between(0, 5)
  if (at === 0) return json.replace(/"(\w+)":/, (key) => `${key}1,${key}`)
  if (at === 1) return json.replace(/:(true|false|null|-?\d+|"[^"]*")/, () => `:${oddToken(dice)}`)
  if (at === 2) return `\ufeff${json}`
  if (at === 3) return `${json}${dice.pick([",", "{}", "\0", " // end"])}`
  if (at === 4) return `{"__proto__":{"a":1},${json.slice(1)}`
  return json.replaceAll(/[a-z]/g, (letter) =>
    dice.chance(0.05) ? `\\u00${letter.charCodeAt(0).toString(16)}` : letter,
  )
}

/** A character more, less or other; or its case. */
export function harmText(dice: Dice, text: string): string {
  const at = dice.between(0, text.length)
  const how = dice.between(0, 4)
  if (how === 0) return text.slice(0, at)
  if (how === 1)
    return `${text.slice(0, at)}${dice.pick(["0", "A", "-", "_", ".", "é", "\0", " "])}${text.slice(at + 1)}`
  if (how === 2) return `${text.slice(0, at)}${text.slice(at + 1)}`
  return how === 3 ? `${text}${text}` : text.toLowerCase()
}

const BYTES = [0x00, 0x0a, 0x22, 0x5c, 0x7b, 0x7f, 0x80, 0xc0, 0xed, 0xf5, 0xff]

export function harmBytes(dice: Dice, bytes: Buffer): Buffer {
  const at = dice.between(0, Math.max(0, bytes.length - 1))
  const how = dice.between(0, 5)
  const byte = Buffer.from([dice.pick(BYTES)])
  if (how === 0) return bytes.subarray(0, at)
  if (how === 1) return Buffer.concat([bytes.subarray(0, at), byte, bytes.subarray(at)])
  if (how === 2) return Buffer.concat([bytes.subarray(0, at), byte, bytes.subarray(at + 1)])
  if (how === 3) return Buffer.concat([bytes, bytes.subarray(at)])
  if (how === 4) return Buffer.concat([bytes.subarray(0, at), Buffer.from([0xed, 0xa0, 0x80]), bytes.subarray(at)])
  return Buffer.from(Array.from({ length: dice.between(1, 64) }, () => dice.between(0, 255)))
}
