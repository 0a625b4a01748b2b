// What a new password must be: long, and not one of those that attackers try first. No rule about which characters it has.
import { COMMON_PASSWORDS, COMMON_WORDS, RUNS } from "./common-passwords.ts"

export const SHORTEST_PASSWORD = 12
export const LONGEST_PASSWORD = 128

/** One form for what looks the same: a password typed on another keyboard or system is the same password. */
export const normalPassword = (password: string): string => password.normalize("NFKC")

/** Why a new password is refused, and undefined where it is taken. `own`: names that its owner is known by. */
export function passwordFault(password: string, own: readonly string[] = []): string | undefined {
  const normal = normalPassword(password)
  const length = [...normal].length
  if (length < SHORTEST_PASSWORD) return `must have at least ${SHORTEST_PASSWORD} characters, it has ${length}`
  if (length > LONGEST_PASSWORD) return `must have at most ${LONGEST_PASSWORD} characters, it has ${length}`
  const plain = normal.toLowerCase()
  if (isRepeated(plain)) return "is a few characters again and again"
  if (isRun(plain)) return "is a sequence of the alphabet, of digits or of the keyboard"
  if (isCommon(plain)) return "is one of those that are tried first"
  return isOwn(plain, own) ? "is made of the user's own name" : undefined
}

/** `abcabcabcabc`, `aaaaaaaaaaaa`, `passwordpassword`: some characters, at least twice, and nothing else. */
function isRepeated(plain: string): boolean {
  const again = `${plain}${plain}`.indexOf(plain, 1)
  return again < plain.length
}

const backwards = (text: string): string => [...text].reverse().join("")

function isRun(plain: string): boolean {
  const back = backwards(plain)
  return RUNS.some((run) => [plain, back].some((text) => `${run}${run}`.includes(text)))
}

const LOOKALIKES: ReadonlyMap<string, string> = new Map(
  Object.entries({ "0": "o", "1": "i", "3": "e", "4": "a", "5": "s", "7": "t", "@": "a", $: "s", "!": "i", "|": "l" }),
)

/** Read as words twice: as it stands, and with signs for letters. `p@ssw0rd` is password, `summer2024` is summer. */
function isCommon(plain: string): boolean {
  if (COMMON_PASSWORDS.has(plain)) return true
  const core = plain.replaceAll(/^[^\p{L}]+|[^\p{L}]+$/gu, "")
  const spelt = [...plain.replace(/[\d\W_]+$/, "")].map((one) => LOOKALIKES.get(one) ?? one).join("")
  return [plain, core, spelt].some(isWords)
}

/** One word of the list, or two of them, whatever stands between. */
function isWords(text: string): boolean {
  const words = text.split(/[^\p{L}]+/u).filter((word) => word !== "")
  return words.length > 0 && words.length <= 2 && words.every(isOneOrTwo)
}

const isOneOrTwo = (word: string): boolean =>
  COMMON_WORDS.has(word) ||
  [...word].some((_, at) => COMMON_WORDS.has(word.slice(0, at)) && COMMON_WORDS.has(word.slice(at)))

function isOwn(plain: string, own: readonly string[]): boolean {
  const core = plain.replaceAll(/^[\d\W_]+|[\d\W_]+$/g, "")
  return own.some((name) => {
    const known = name.toLowerCase()
    return known.length > 2 && (plain === known || core === known || isRepeatOf(plain, known))
  })
}

const isRepeatOf = (plain: string, known: string): boolean => plain.replaceAll(known, "") === ""
