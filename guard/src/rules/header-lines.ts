// How many lines of headers a request may have. Node drops what comes after the thousandth without a word, and that could be anything:
// the line in which a proxy names its client, a credential, or the length of the body.

/** More than any client or chain of proxies sends. */
export const MOST_HEADER_LINES = 200

/** By names and values in turn, as Node gives them. */
export const hasTooManyHeaders = (rawHeaders: readonly string[]): boolean => rawHeaders.length > 2 * MOST_HEADER_LINES
