// Words and descriptions as they may stand in the scripts of shells.

/** Names of commands, options and choices are plain by themselves; another would be a hole in the script. */
export function shellWords(words: readonly string[]): string {
  const odd = words.find((word) => !/^[\w.:@+-]+$/.test(word))
  if (odd !== undefined) throw new Error(`${odd} cannot stand in a completion script`)
  return words.join(" ")
}

/** Between single quotes, which both zsh and fish read alike but for the quote itself. */
export const quoted = (text: string): string => `'${text.replaceAll("\\", "\\\\").replaceAll("'", "’")}'`
