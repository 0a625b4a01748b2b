// A word after a name that nothing has had so far: it may be right, and misspelt it would do nothing without a word.
import { closestName } from "../../model/definitions/closest-name.ts"
import { cellText } from "./cell-text.ts"

/** A line, or none where the name is known or the names cannot be read. `said` says that nothing has it. */
export function strangerLine(name: string, known: readonly string[] | undefined, said: string): readonly string[] {
  if (known === undefined || known.includes(name)) return []
  const meant = closestName(name, known)
  return [meant === undefined ? `${said}.` : `${said}: did you mean ${cellText(meant)}?`]
}
