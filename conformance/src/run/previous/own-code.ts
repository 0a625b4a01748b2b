// Whether a checkout runs its own packages: the SDK is found by name, and a link may lead elsewhere.
import { realpathSync } from "node:fs"
import { createRequire } from "node:module"
import { join, sep } from "node:path"

/** Throws when one of the files would load the SDK of another checkout. */
export function insistOnOwnCode(place: string, files: readonly string[]): void {
  const own = realpathSync(place) + sep
  for (const file of files) {
    const found = realpathSync(createRequire(join(place, file)).resolve("@millrace/sdk"))
    if (!found.startsWith(own)) throw new Error(`${join(place, file)} would run the SDK in ${found}`)
  }
}
