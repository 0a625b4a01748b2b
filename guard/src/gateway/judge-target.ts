// Refuses paths that two servers can read differently: what is judged here must be what the upstream serves.
import { unclear } from "./refusal.ts"

export interface Target {
  /** The path as it was sent, from its first slash to the query. */
  readonly path: string
  /** With its question mark; empty where there is none. */
  readonly query: string
}

/** Visible ASCII. A backslash is a slash to some servers, and `#` ends a URL to others. */
const PATH = /^\/[!"$-[\]-~]*$/
const QUERY = /^\?[!-~]*$/
/** Slash, backslash, dot, percent in front of one of them, or a control character, written in hexadecimal. */
const HIDDEN = /%(?:2f|5c|2e|[01][0-9a-f]|7f|25(?:2f|5c|2e|00))/i
const BROKEN = /%(?![0-9a-f]{2})/i

export function judgeTarget(url: string): Target {
  if (!url.startsWith("/"))
    throw unclear("the request line must hold a path: this server forwards to its own upstreams alone")
  const end = url.indexOf("?")
  const path = end < 0 ? url : url.slice(0, end)
  const query = end < 0 ? "" : url.slice(end)
  if (!PATH.test(path) || (query !== "" && !QUERY.test(query)))
    throw unclear("the path may hold visible ASCII characters without \\ and #: percent-encode the others")
  judgeEncoding(path)
  if (path !== "/") judgeSegments(path)
  return { path, query }
}

function judgeEncoding(path: string): void {
  if (!path.includes("%")) return
  if (BROKEN.test(path)) throw unclear("a % in the path must begin an encoded character: send %25 for the sign itself")
  if (HIDDEN.test(path))
    throw unclear("the path hides a slash, a backslash, a dot or a control character: send these as they are, or not")
}

/** A slash at the end makes an empty last segment, which is the only one. */
function judgeSegments(path: string): void {
  if (!path.includes("//") && !path.includes("/.") && !path.includes("/;")) return
  const segments = path.slice(1).split("/")
  segments.forEach((segment, at) => {
    const name = segment.split(";", 1)[0]
    const isLast = at === segments.length - 1
    if (name === "." || name === ".." || (name === "" && !(isLast && segment === "")))
      throw unclear("the path has an empty segment or one of dots: send the path that it stands for")
  })
}
