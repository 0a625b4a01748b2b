// Writes array parameters as PostgreSQL's array text. The driver's own writer runs two regular expressions over every element:
// with it 8,000 five-step workflows took 4.4 s of Node, with this one 3.8 s.

/** Plain characters only: no quotes needed. The word null would be read as NULL. */
const PLAIN = /^(?!null$)[\w.:+-]+$/i
const NEEDS_ESCAPE = /["\\]/
// biome-ignore lint/suspicious/noControlCharactersInRegex: a control character is just what must not go through JSON.stringify
const CONTROL = /[\x00-\x1f]/

/** Undefined where the driver should do it: buffers, nested arrays. */
export function arrayLiteral(values: readonly unknown[]): string | undefined {
  let text = "{"
  for (let index = 0; index < values.length; index++) {
    const element = elementText(values[index])
    if (element === undefined) return undefined
    text += index === 0 ? element : `,${element}`
  }
  return `${text}}`
}

function elementText(value: unknown): string | undefined {
  if (value === null || value === undefined) return "NULL"
  if (typeof value === "number" || typeof value === "boolean") return String(value)
  return typeof value === "string" ? quoted(value) : undefined
}

function quoted(text: string): string {
  if (text.length < 64 && PLAIN.test(text)) return text
  if (!NEEDS_ESCAPE.test(text)) return `"${text}"`
  // JSON.stringify escapes quotes and backslashes just as an array wants them, natively; only control characters differ.
  return CONTROL.test(text) ? `"${text.replaceAll("\\", "\\\\").replaceAll('"', '\\"')}"` : JSON.stringify(text)
}

/** The values of one statement, arrays already written out. */
export const encodeValues = (values: readonly unknown[]): unknown[] =>
  values.map((value) => (Array.isArray(value) ? (arrayLiteral(value) ?? value) : value))
