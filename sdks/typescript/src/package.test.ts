// C-115: the SDK is thin: nothing but Node at run time, and nothing kept between jobs.
import { readFileSync } from "node:fs"
import { expect, test } from "vitest"

const here = new URL(".", import.meta.url)
const read = (name: string) => readFileSync(new URL(name, here), "utf8")

test("C-115: the package has no runtime dependency", () => {
  const manifest = JSON.parse(read("../package.json"))
  expect(manifest.dependencies ?? {}).toEqual({})
  // What gRPC needs is the user's to install; over REST none of it is loaded.
  const optional = Object.keys(manifest.peerDependenciesMeta)
  expect(Object.keys(manifest.peerDependencies)).toEqual(optional)
  for (const name of optional) expect(manifest.peerDependenciesMeta[name]).toEqual({ optional: true })
})

/** A type is gone when the code runs, and `import()` loads what was asked for. */
const STATIC_IMPORT = /^(?:import|export) (?!type )(?:\{[^}]*\}|\*(?: as \w+)?|\w+) from "([^"]+)"/gm

test("C-115: what its entries reach is Node's own modules and its own files", () => {
  const reached = new Set<string>([new URL("index.ts", here).href, new URL("worker/heartbeat-thread.ts", here).href])
  // A set walks on to what is added on the way.
  for (const file of reached)
    if (file.startsWith(here.href))
      for (const [, from] of readFileSync(new URL(file), "utf8").matchAll(STATIC_IMPORT))
        reached.add(from!.startsWith(".") ? new URL(from!, file).href : from!)
  const strangers = [...reached].filter((file) => !file.startsWith(here.href) && !/^node:[a-z0-9_/]+$/.test(file))
  expect(reached.size).toBeGreaterThan(30)
  expect(strangers).toEqual([])
})
