// The range of texts that begin with a text, in the order of their bytes.

/** No text sorts behind it. */
const LAST = "\u{10FFFF}"

export const beginningWith = (prefix: string): { readonly fromKey: string; readonly beforeKey: string } => ({
  fromKey: prefix,
  beforeKey: prefix + LAST,
})
