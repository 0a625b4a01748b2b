// Builds request paths in which every id and query value is percent-encoded.

export type QueryValue = string | number | undefined

function encodePath(parts: TemplateStringsArray, ...ids: readonly (string | number)[]): string {
  return parts.reduce((path, part, i) => path + encodeId(ids[i - 1]) + part)
}

/** The id of a call cannot stand in a path; nothing was sent. */
export class InvalidIdError extends TypeError {
  override name = "InvalidIdError"
}

/** An empty id would address the collection, and `.` or `..` would be resolved away on the road. */
function encodeId(id: string | number | undefined): string {
  const text = String(id ?? "")
  if (text === "" || text === "." || text === "..") throw new InvalidIdError(`"${text}" is not an id`)
  return encodeURIComponent(text)
}

function fillPath(template: string, ids: Readonly<Record<string, string | number>>): string {
  return template.replaceAll(/\{(\w+)\}/g, (_, name: string) => encodeId(ids[name]))
}

function withQuery(path: string, query: Readonly<Record<string, QueryValue>>): string {
  const search = new URLSearchParams()
  for (const [name, value] of Object.entries(query)) if (value !== undefined) search.set(name, String(value))
  return search.size === 0 ? path : `${path}?${search}`
}

/** at`/v1/instances/${id}` encodes the id, at.fill("/jobs/{jobId}", {…}) too; at.query(path, {…}) adds what is defined. */
export const at = Object.assign(encodePath, { fill: fillPath, query: withQuery })
