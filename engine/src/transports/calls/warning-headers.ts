// The `Warning` header: what was done all the same, and what its caller should know about it.

const MOST = 20
const LONGEST = 500

/** A line each, in the form of RFC 7234: `299 - "text"`. */
export const warningHeaders = (texts: readonly string[]): { readonly warning: string[] } => ({
  warning: texts.slice(0, MOST).map((text) => `299 - "${quoted(text)}"`),
})

/** Headers are printable ASCII; a caller's own names in them are anything. */
const quoted = (text: string): string =>
  text
    .slice(0, LONGEST)
    .replaceAll(/[^\x20-\x7e]/g, "?")
    .replaceAll(/["\\]/g, "\\$&")
