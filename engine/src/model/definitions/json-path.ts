// JSON paths for violations: `$.steps[2].nextStep`, `$.steps[0].conditionalNextSteps["amount > 5"]`.

const PLAIN = /^[A-Za-z_][A-Za-z0-9_]*$/
const LONGEST_KEY = 200

export function child(path: string, key: string | number): string {
  if (typeof key === "number") return `${path}[${key}]`
  if (PLAIN.test(key) && key.length <= LONGEST_KEY) return `${path}.${key}`
  return `${path}[${JSON.stringify(shortened(key))}]`
}

/** A caller's text inside a message: never longer than a few lines. */
export function shortened(text: string): string {
  return text.length <= LONGEST_KEY ? text : `${text.slice(0, LONGEST_KEY - 1)}…`
}
