// Environment variables that look like settings and are none: what was meant is said, for nothing else would tell.
import { safeText } from "../support/redact.ts"
import { nearest } from "./nearest.ts"
import { settingKeys, settings } from "./settings.ts"

/** Read by the command line, and where the settings file is. */
const NO_SETTINGS = ["WE_CONFIG_FILE", "WE_URL", "WE_API_KEY"]

/** A warning and not an error: other programs may own a variable of such a name. */
export function unknownVariables(env: Readonly<Record<string, string | undefined>>): string[] {
  const known = settingKeys.flatMap((key) => [settings[key].name, ...settings[key].aliases])
  const strangers = Object.keys(env).filter((name) => /^WE_/.test(name) && ![...known, ...NO_SETTINGS].includes(name))
  return strangers.map((name) => {
    const meant = nearest(name, known) ?? mostAlike(name, known)
    const hint = meant ? `did you mean ${meant}?` : "`millrace config` lists them all"
    return `${safeText(name.slice(0, 60))} is not a setting, ${hint}`
  })
}

/** By the words they share, for names that no slip of the finger explains: WE_PORT. Undefined where they share none. */
function mostAlike(name: string, known: readonly string[]): string | undefined {
  const scored = known.map((candidate) => ({ candidate, score: likeness(wordsOf(name), wordsOf(candidate)) }))
  const best = scored.sort((a, b) => b.score - a.score)[0]
  return best && best.score > 0 ? best.candidate : undefined
}

const wordsOf = (name: string): readonly string[] => name.replace(/^WE_/, "").split("_")

/** The words that both have, as a part of all that they have. */
function likeness(a: readonly string[], b: readonly string[]): number {
  const shared = a.filter((word) => b.includes(word)).length
  return shared / (a.length + b.length - shared)
}
