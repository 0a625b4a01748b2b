// What an upstream is asked for: its own path in front, and without the prefix by which it was found where that is to be stripped.
import type { Upstream } from "./upstream.ts"

/** Worked out once for each upstream; the function takes the path behind the mount. */
export function targetOf({ to, path, strip }: Upstream): (rest: string) => string {
  const base = new URL(to).pathname.replace(/\/$/, "")
  const segments = path === "/" ? 0 : path.split("/").length - 1
  if (!strip || segments === 0) return base === "" ? (rest) => rest : (rest) => base + rest
  // By segments and not by length: `/%6frders/7` is found by `/orders` too.
  return (rest) =>
    `${base}/${rest
      .split("/")
      .slice(segments + 1)
      .join("/")}`
}
