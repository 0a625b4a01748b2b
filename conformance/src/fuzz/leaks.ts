// What no answer may tell: stacks, statements, places of files, words of the driver.

const LEAKS: readonly RegExp[] = [
  /\bat \S+ \(?(?:file:|node:|\/)[^\s)]+:\d+:\d+/,
  /node_modules/,
  /\/(?:src|dist)\/[\w/-]+\.(?:ts|js)\b/,
  /\b(?:TypeError|RangeError|ReferenceError|SyntaxError|AssertionError)\b/,
  /duplicate key value violates|violates (?:check|foreign key|not-null)|invalid input syntax for type|relation "\w+" does not exist/,
  /\bERR_[A-Z_]{4,}\b|ECONNRE/,
]

/** What an answer should not have told, except where the request said it first. */
export function leakIn(answer: string, request: string): string | undefined {
  for (const pattern of LEAKS) {
    const [found] = pattern.exec(answer) ?? []
    if (found !== undefined && !request.includes(found)) return found
  }
  return undefined
}
