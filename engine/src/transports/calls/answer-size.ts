// How long an answer may be: clients of gRPC cap a message at 4 MiB, and what is claimed must be delivered.

export const MAX_ANSWER_BYTES = 3_500_000

/** What no client takes in one message, with a little room for what is around it. */
const MAX_MESSAGE_BYTES = 4_100_000

/** What a field name, an id or a time takes besides the text that is weighed. */
const OVERHEAD = 1_000
/** How much larger JSON text may become as a Struct: a digit in a list becomes eleven bytes. */
const MOST_GROWTH = 6

/** The bytes of a JSON text on the wire that it is to travel. */
export type Weigh = (json: string) => number

/** Whether a text can travel at all. */
export const fitsAlone = (text: string, weigh: Weigh): boolean =>
  (text.length + OVERHEAD) * MOST_GROWTH <= MAX_MESSAGE_BYTES || weigh(text) + OVERHEAD <= MAX_MESSAGE_BYTES

/** How many of these texts fit into one answer, one by one from the first; one always does. */
export function countFitting(texts: readonly string[], weigh: Weigh): number {
  const characters = texts.reduce((sum, text) => sum + text.length + OVERHEAD, 0)
  if (characters * MOST_GROWTH <= MAX_ANSWER_BYTES) return texts.length
  let bytes = 0
  const tooMany = texts.findIndex((text) => {
    bytes += weigh(text) + OVERHEAD
    return bytes > MAX_ANSWER_BYTES
  })
  return tooMany < 0 ? texts.length : Math.max(1, tooMany)
}
