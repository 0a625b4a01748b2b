// PromQL as the tests of rules and dashboards see it: the metrics an expression names, and promtool to read the rest.
import { execFileSync } from "node:child_process"

/** Its exit code is the verdict, and what it prints is why. */
export const promtool = (cwd: string, ...args: string[]): string =>
  execFileSync("promtool", args, { cwd, encoding: "utf8", stdio: ["ignore", "pipe", "pipe"] })

const WORDS = new Set(["and", "or", "unless", "bool", "offset"])

/** What is left of an expression without labels, ranges, numbers, functions and the words of the language. */
export function metricsIn(expr: string): string[] {
  const bare = expr.replaceAll(
    /\{[^}]*\}|\[[^\]]*\]|\b(by|without|on|ignoring|group_left|group_right) *\([^)]*\)/g,
    " ",
  )
  const names = bare.match(/(?<![\w:])[a-zA-Z_:][\w:]*(?![\w:]| *\()/g) ?? []
  return names.filter((name) => !WORDS.has(name))
}

/** The labels it chooses and groups by; le is made by the histogram itself. */
export function labelsIn(expr: string): string[] {
  const matched = [...expr.matchAll(/[{,] *(\w+) *(?:=~|!~|!=|=)/g)].map(([, label]) => label as string)
  const grouped = [...expr.matchAll(/\b(?:by|on) *\(([^)]*)\)/g)].flatMap(([, names = ""]) => names.split(/ *, */))
  return [...matched, ...grouped].filter((label) => label !== "le")
}

/** A page of metrics: the labels of each series, those of a histogram under their names with endings. */
export function readPage(page: string): ReadonlyMap<string, ReadonlySet<string>> {
  const found = new Map<string, Set<string>>()
  for (const [, name = "", labels = ""] of page.matchAll(/^([a-zA-Z_:][\w:]*)(?:\{(.*)\})? /gm)) {
    const known = found.get(name) ?? new Set()
    for (const [, label = ""] of labels.matchAll(/(\w+)="/g)) known.add(label)
    found.set(name, known)
  }
  return found
}
