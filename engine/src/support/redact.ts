// Redaction: takes secrets and terminal tricks out of text that people or log collectors will read.

/** Longest string a log line or a terminal message may carry. */
const MAX_TEXT = 2_000

// Every pattern runs on capped text only, so none can be made slow by its input.
const URL_PASSWORD = /(:\/\/[^\s:@/]*:)\S*@/g
const KEYWORD_PASSWORD = /\b(password|pgpassword|pwd)=('[^']*'|[^\s&]+)/gi
const API_KEY = /\bmill_([A-Za-z0-9]+)_[A-Za-z0-9_-]+/g
// Three parts of base64url, the first of which is JSON.
const TOKEN = /\beyJ[A-Za-z0-9_-]+\.[A-Za-z0-9_-]+\.[A-Za-z0-9_-]*/g
const BEARER = /\b(bearer|basic) [A-Za-z0-9._~+/=-]+/gi

// Characters that JSON leaves alone yet move the cursor or reorder what a reader sees.
const INVISIBLE = /(?![\t\n])[\p{Cc}\p{Cf}\u2028\u2029]/gu
const escapeCharacter = (c: string): string => `\\u${c.codePointAt(0)!.toString(16).padStart(4, "0")}`

/**
 * Most names and values of a log line: short, of letters, digits and a few marks. No pattern above can match them, unless they hold the
 * beginning of a key or of a token. Looking here first takes a line of a request from 20 to 3 µs.
 */
const PLAIN = /^[\w./:{}-]{0,100}$/
export const isPlain = (text: string): boolean => PLAIN.test(text) && !text.includes("mill_") && !text.includes("eyJ")

const SECRET_NAMES = new Set(
  "authorization proxyauthorization cookie setcookie xapikey apikey leasetoken password passwd pgpassword newpassword hashedpassword accesstoken idtoken clientsecret secret dsn".split(
    " ",
  ),
)

export const isSecretName = (name: string): boolean =>
  SECRET_NAMES.has((/[-_]/.test(name) ? name.replace(/[-_]/g, "") : name).toLowerCase())

const MOST_NAMES = 1_000
const plainNames = new Set<string>()

/** True for a field name that is plain text and names no secret. Names come from the code and are few; above a limit the cache is emptied. */
export function isPlainName(name: string): boolean {
  if (plainNames.has(name)) return true
  if (!isPlain(name) || isSecretName(name)) return false
  if (plainNames.size >= MOST_NAMES) plainNames.clear()
  plainNames.add(name)
  return true
}

/** Hides passwords in URLs and connection strings, bearer tokens and API keys. */
export const maskSecrets = (text: string): string =>
  text
    .replace(URL_PASSWORD, "$1****@")
    .replace(KEYWORD_PASSWORD, "$1=****")
    .replace(API_KEY, "mill_$1_****")
    .replace(BEARER, "$1 ****")
    .replace(TOKEN, "eyJ****")

/** Text that is safe to show: capped, secrets masked, control and direction characters spelt out. */
export function safeText(text: string): string {
  if (isPlain(text)) return text
  const capped = text.length > MAX_TEXT ? `${text.slice(0, MAX_TEXT)}… (${text.length} characters)` : text
  return maskSecrets(capped).replace(INVISIBLE, escapeCharacter)
}
