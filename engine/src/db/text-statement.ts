// A statement in text alone: every parameter goes as text, every row comes back as one. No driver's idea of a date, a big number, an
// array or a column's name can change what it means, whatever the caller has set in it.
import type { Description } from "./describe-statement.ts"
import { encodeValues } from "./encode-values.ts"
import type { Row, Values } from "./train.ts"

export interface TextStatement {
  /** Gives one text per row, for `readRow`; and where it has columns, the id of the transaction behind it. */
  readonly asking: string
  /** Gives what it gives. */
  readonly telling: string
  readonly readRow: (text: string) => Row
}

export function toTextStatement(text: string, { parameters, columns }: Description): TextStatement {
  const telling = text.replaceAll(/\$(\d+)/g, (_, n: string) => `($${n}::text::${parameters[Number(n) - 1]})`)
  const readRow = (json: string): Row => {
    const texts = JSON.parse(json) as (string | null)[]
    const values = columns.map(({ name, parse }, index) => {
      const value = texts[index]
      return [name, value == null ? null : parse(value)] as const
    })
    return Object.fromEntries(values)
  }
  return { asking: columns.length === 0 ? telling : packRows(telling, columns.length), telling, readRow }
}

/** By its id the end of a transaction can be asked for on another connection. Null where nothing was written yet. */
export const OWN_XID = "pg_current_xact_id_if_assigned()::text as xid"

/** Each column as the text that our own connection would have read. */
function packRows(text: string, columnCount: number): string {
  const names = Array.from({ length: columnCount }, (_, n) => `c${n}`)
  const texts = names.map((name) => `${name}::text`)
  const own = endOfWith(text)
  const opening = own === 0 ? "with" : `${text.slice(0, own)},`
  return `${opening} answer (${names.join(", ")}) as (
${text.slice(own)}
)
select json_build_array(${texts.join(", ")})::text as answer, ${OWN_XID} from answer`
}

const BLANK = "(?:\\s|--.*\\n)*"
const BEGINS_WITH = new RegExp(`^${BLANK}with\\b`, "i")
const GOES_ON = new RegExp(`^${BLANK}(?:,|as\\b)`, "i")

/** Where the `with` of a statement ends, 0 when it has none. A part of it that writes may stand nowhere but at the top. */
function endOfWith(text: string): number {
  if (!BEGINS_WITH.test(text)) return 0
  let depth = 0
  for (const { 0: token, index } of text.matchAll(/'[^']*'|"[^"]*"|--.*|[()]/g)) {
    if (token === "(") depth += 1
    if (token !== ")") continue
    depth -= 1
    if (depth === 0 && !GOES_ON.test(text.slice(index + 1))) return index + 1
  }
  return 0
}

export const textValues = (values: Values): (string | null)[] =>
  encodeValues(values).map((value) => (Buffer.isBuffer(value) ? `\\x${value.toString("hex")}` : value))
