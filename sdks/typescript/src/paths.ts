// Builds request paths in which every id and query value is percent-encoded.

export type QueryValue = string | number | undefined

function encodePath(parts: TemplateStringsArray, ...ids: readonly (string | number)[]): string {
  return parts.reduce((path, part, i) => path + encodeId(ids[i - 1]) + part)
}

/** An empty id would address the collection, and `.` or `..` would be resolved away on the road. */
function encodeId(id: string | number | undefined): string {
  const text = String(id ?? "")
  if (text === "" || text === "." || text === "..") throw new TypeError(`"${text}" is not an id`)
  return encodeURIComponent(text)
}

function withQuery(path: string, query: Readonly<Record<string, QueryValue>>): string {
  const search = new URLSearchParams()
  for (const [name, value] of Object.entries(query)) if (value !== undefined) search.set(name, String(value))
  return search.size === 0 ? path : `${path}?${search}`
}

/** at`/v1/instances/${id}` encodes the id; at.query(path, {…}) adds what is defined. */
export const at = Object.assign(encodePath, { query: withQuery })
