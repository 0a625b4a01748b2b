// A run that another run waits for: the key by which it is found, and what its parent is told at its end, a signal that only the engine may send.

export const childKeyOf = (parentId: string, step: string): string => `${parentId}/${step}`

const ENDING = "end of "

export const endingOf = (step: string): string => `${ENDING}${step}`

/** The step whose child it is the end of. */
export const stepOfEnding = (signal: string): string | undefined =>
  signal.startsWith(ENDING) ? signal.slice(ENDING.length) : undefined
