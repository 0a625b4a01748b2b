// Which of the words that were said are still shown: a few, and equal ones once.

export interface Word {
  readonly id: number
  readonly text: string
  /** How often it was said in a row of a few seconds. */
  readonly times: number
}

const MOST = 3

/** The new one is the last. One that says the same takes the place of the one before, and counts it. */
export function withWord(words: readonly Word[], word: Word): readonly Word[] {
  const same = words.find(({ text }) => text === word.text)
  const others = words.filter((one) => one !== same)
  return [...others, { ...word, times: word.times + (same?.times ?? 0) }].slice(-MOST)
}
