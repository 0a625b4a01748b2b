// What a parent is told at the end of a child: a signal that only the engine may send.

const ENDING = "end of "

export const endingOf = (step: string): string => `${ENDING}${step}`

/** The step whose child it is the end of. */
export const stepOfEnding = (signal: string): string | undefined =>
  signal.startsWith(ENDING) ? signal.slice(ENDING.length) : undefined
