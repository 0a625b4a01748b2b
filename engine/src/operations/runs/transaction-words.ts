// Finds out whether a statement would begin, end or cut a transaction, whatever stands before its first word.

const WORDS = new Set(["abort", "begin", "commit", "end", "release", "rollback", "savepoint", "start"])

/** In capitals, for people; undefined for every other statement. */
export function transactionWord(statement: string): string | undefined {
  const [first, rest] = firstWord(statement)
  if (WORDS.has(first)) return first.toUpperCase()
  // PREPARE alone names a statement, and can name none of these.
  return first === "prepare" && firstWord(rest)[0] === "transaction" ? "PREPARE TRANSACTION" : undefined
}

function firstWord(text: string): readonly [word: string, rest: string] {
  const bare = withoutLead(text)
  const [word = ""] = /^[a-z]*/i.exec(bare) ?? []
  return [word.toLowerCase(), bare.slice(word.length)]
}

/** Blanks, empty statements and comments. */
function withoutLead(text: string): string {
  let rest = text
  for (;;) {
    const length = /^(?:[\s;]+|--[^\r\n]*)+/.exec(rest)?.[0].length ?? commentLength(rest)
    if (length === 0) return rest
    rest = rest.slice(length)
  }
}

/** The length of the comment that the text begins with. Comments nest. A comment that never ends takes the whole text. */
function commentLength(text: string): number {
  if (!text.startsWith("/*")) return 0
  let depth = 0
  for (const { 0: mark, index } of text.matchAll(/\/\*|\*\//g)) {
    depth += mark === "/*" ? 1 : -1
    if (depth === 0) return index + 2
  }
  return text.length
}
