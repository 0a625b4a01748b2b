// Cuts the source of an expression into tokens, one character at a time: no regular expressions, so no backtracking.
import { keepsDigits } from "../../../support/double-digits.ts"
import { ExpressionError } from "./expression-error.ts"

interface Placed {
  /** Column in the source, from 1. */
  readonly at: number
}
export type Token = Placed &
  (
    | { readonly kind: "number"; readonly value: number }
    | { readonly kind: "string"; readonly value: string }
    | { readonly kind: "word"; readonly text: string }
    | { readonly kind: "hash"; readonly text: string }
    | { readonly kind: "symbol"; readonly text: string }
    | { readonly kind: "end" }
  )

/** A token and the index just after it. */
type Read = readonly [token: Token, end: number]

// Longer symbols first: `>=` must not be read as `>`.
const SYMBOLS = ["${", "==", "!=", ">=", "<=", "&&", "||", ..."><+-*/!().,}"]
const ESCAPES = new Map([
  ["\\", "\\"],
  ["'", "'"],
  ['"', '"'],
  ["n", "\n"],
  ["t", "\t"],
])
/** What is no symbol here, and what was meant; longer ones first. */
const NEAR_MISSES = new Map([
  ["=<", "; write `<=`"],
  ["=>", "; write `>=`"],
  ["=", "; compare with `==`"],
  ["&", "; write `&&`"],
  ["|", "; write `||`"],
  ["{", "; an embedded expression opens with `${`"],
  ["$", "; an embedded expression opens with `${`"],
])

const isSpace = (char: string): boolean => char === " " || char === "\t" || char === "\n" || char === "\r"
const isDigit = (char: string): boolean => char >= "0" && char <= "9"
const isNameStart = (char: string): boolean =>
  (char >= "a" && char <= "z") || (char >= "A" && char <= "Z") || char === "_"
const isNamePart = (char: string): boolean => isNameStart(char) || isDigit(char)

/** The index of the first character from `at` on that is not of this kind. */
function skip(source: string, at: number, kind: (char: string) => boolean): number {
  let end = at
  while (end < source.length && kind(source.charAt(end))) end += 1
  return end
}

export function tokenize(source: string): readonly Token[] {
  const tokens: Token[] = []
  let at = skip(source, 0, isSpace)
  while (at < source.length) {
    const [token, end] = readToken(source, at)
    tokens.push(token)
    at = skip(source, end, isSpace)
  }
  tokens.push({ kind: "end", at: source.length + 1 })
  return tokens
}

function readToken(source: string, at: number): Read {
  const char = source.charAt(at)
  if (isDigit(char)) return readNumber(source, at)
  if (isNameStart(char)) return readWord(source, at)
  if (char === "'" || char === '"') return readString(source, at)
  if (char === "#") return readHash(source, at)
  const text = SYMBOLS.find((symbol) => source.startsWith(symbol, at))
  if (text === undefined) throw unexpected(source, at)
  return [{ kind: "symbol", text, at: at + 1 }, at + text.length]
}

function unexpected(source: string, at: number): ExpressionError {
  const missed = [...NEAR_MISSES.keys()].find((miss) => source.startsWith(miss, at)) ?? source.charAt(at)
  return new ExpressionError(`unexpected \`${missed}\`${NEAR_MISSES.get(missed) ?? ""}`, at + 1)
}

function readWord(source: string, at: number): Read {
  const end = skip(source, at, isNamePart)
  return [{ kind: "word", text: source.slice(at, end), at: at + 1 }, end]
}

function readHash(source: string, at: number): Read {
  if (!isNameStart(source.charAt(at + 1)))
    throw new ExpressionError("`#` must be followed by a variable's name", at + 1)
  const end = skip(source, at + 1, isNamePart)
  return [{ kind: "hash", text: source.slice(at + 1, end), at: at + 1 }, end]
}

function readNumber(source: string, at: number): Read {
  const whole = skip(source, at, isDigit)
  const end = skipExponent(source, skipFraction(source, whole))
  if (isNamePart(source.charAt(end))) throw new ExpressionError("a number is followed by a letter", end + 1)
  const written = source.slice(at, end)
  const value = Number(written)
  // An integer that a double cannot hold would be rounded in silence.
  if (end === whole && !Number.isSafeInteger(value)) throw new ExpressionError("an integer beyond ±(2^53 − 1)", at + 1)
  if (!Number.isFinite(value)) throw new ExpressionError("a number too large to represent", at + 1)
  if (!keepsDigits(written, value)) throw new ExpressionError("a number whose digits a double does not keep", at + 1)
  return [{ kind: "number", value, at: at + 1 }, end]
}

function skipFraction(source: string, at: number): number {
  const isFraction = source.charAt(at) === "." && isDigit(source.charAt(at + 1))
  return isFraction ? skip(source, at + 1, isDigit) : at
}

function skipExponent(source: string, at: number): number {
  if (source.charAt(at) !== "e" && source.charAt(at) !== "E") return at
  const sign = source.charAt(at + 1)
  const digits = sign === "+" || sign === "-" ? at + 2 : at + 1
  return isDigit(source.charAt(digits)) ? skip(source, digits, isDigit) : at
}

function readString(source: string, at: number): Read {
  const quote = source.charAt(at)
  let value = ""
  for (let next = at + 1; next < source.length; next += 1) {
    const char = source.charAt(next)
    if (char === quote) return [{ kind: "string", value, at: at + 1 }, next + 1]
    if (char === "\\") next += 1
    value += char === "\\" ? unescaped(source, next) : char
  }
  throw new ExpressionError(`unclosed quote ${quote}`, at + 1)
}

function unescaped(source: string, at: number): string {
  const char = ESCAPES.get(source.charAt(at))
  if (char === undefined) throw new ExpressionError("unknown escape; only \\\\ \\' \\\" \\n \\t are known", at)
  return char
}
