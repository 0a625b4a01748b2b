// The texts of a Warning header: `299 - "first", 299 - "second"`.

const WARNING = /\d{3} \S+ "((?:[^"\\]|\\.)*)"/g

/** A header in another form is one text as it is. */
export function warningsOf(header: string | readonly string[] | undefined): readonly string[] {
  if (header === undefined) return []
  const text = typeof header === "string" ? header : header.join(", ")
  const found = [...text.matchAll(WARNING)].map(([, quoted = ""]) => quoted.replaceAll(/\\(.)/g, "$1"))
  return found.length > 0 ? found : [text]
}
