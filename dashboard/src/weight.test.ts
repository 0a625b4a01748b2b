// What the browser must load before the first screen is seen, as the build made it.
import { readdirSync, readFileSync, statSync } from "node:fs"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { gzipSync } from "node:zlib"
import { expect, test } from "vitest"

const UI = join(process.env.MILLRACE_TEST_ROOT ?? fileURLToPath(new URL("../../", import.meta.url)), "engine/ui")
const read = (path: string): string => readFileSync(join(UI, path), "utf8")

/** A script and everything it imports before it runs; what it imports later, by `import()`, is not counted. */
function withImports(path: string, seen = new Set<string>()): Set<string> {
  if (seen.has(path)) return seen
  seen.add(path)
  for (const [, name] of read(path).matchAll(/(?:import|from)\s*["']\.\/([\w.-]+\.js)["']/g))
    withImports(`assets/${name}`, seen)
  return seen
}

const scripts = (): string[] => readdirSync(join(UI, "assets")).filter((name) => name.endsWith(".js"))

test("the first screen loads at most 200 kB of JavaScript, compressed", () => {
  const entry = /src="\/ui\/(assets\/[\w.-]+\.js)"/.exec(read("index.html"))?.[1] ?? ""
  const overview = scripts().find((name) => /^overview-/.test(name))
  const needed = [entry, `assets/${overview}`].reduce((seen, path) => withImports(path, seen), new Set<string>())
  const bytes = [...needed].reduce((sum, path) => sum + gzipSync(read(path)).length, 0)
  expect(bytes).toBeGreaterThan(50_000)
  expect(bytes).toBeLessThanOrEqual(200_000)
})

test("the letters of the page are files of its own, with their licences, and small", () => {
  const fonts = readdirSync(join(UI, "assets")).filter((name) => name.endsWith(".woff2"))
  expect(fonts.map((name) => name.replace(/-[\w-]{8}\.woff2$/, ""))).toEqual([
    "inter-latin-wght-normal",
    "jetbrains-mono-latin-wght-normal",
  ])
  for (const name of fonts) expect(statSync(join(UI, "assets", name)).size).toBeLessThanOrEqual(60_000)
  for (const font of ["inter", "jetbrains-mono"])
    expect(read(`licences/${font}.txt`)).toContain("SIL OPEN FONT LICENSE")
})

test("SEC-49: the page names no script, style or picture but its own files", () => {
  const page = read("index.html")
  expect(page).not.toMatch(/<script(?![^>]*\bsrc=)/)
  expect(page).not.toMatch(/\bstyle=|<style|\bon\w+=/)
  for (const [, address] of page.matchAll(/(?:src|href)="([^"]+)"/g)) expect(address).toMatch(/^\/ui\//)
  for (const name of readdirSync(join(UI, "assets")).filter((name) => name.endsWith(".css")))
    expect(read(`assets/${name}`)).not.toMatch(/url\(["']?https?:/)
})
