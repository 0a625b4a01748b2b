// The form of a token, judged before any key is asked: its length, its three parts, and what its header may say.

export interface PeekedToken {
  readonly algorithm: string
  /** Used as the key of a map, and for nothing else. */
  readonly kid: string | undefined
  readonly type: string | undefined
  /** What the token says of its issuer: to choose who verifies it. Nothing in it is proved yet. */
  readonly issuer: string | undefined
}

/** The limit for our own tokens and those of other issuers. A provider of OIDC puts more into its tokens. */
export const MOST_TOKEN_BYTES = 4_096
export const MOST_OIDC_BYTES = 8_192
const MOST_HEADER_CHARACTERS = 2_048
const MOST_CLAIMS = 64

/** Three parts: five would be an encrypted token, which nothing here reads. */
const COMPACT = /^([A-Za-z0-9_-]+)\.([A-Za-z0-9_-]+)\.([A-Za-z0-9_-]+)$/
const KID = /^[A-Za-z0-9._-]{1,64}$/

/** Headers that change how the rest is read. `jku`, `x5u`, `jwk` and `x5c` are not among them: they are never looked at. */
const REFUSED_HEADERS = ["crit", "zip", "enc", "b64"]

/** Undefined for what is no token that could be verified here. */
export function peekToken(token: string, mostBytes: number): PeekedToken | undefined {
  if (token.length > mostBytes) return undefined
  const parts = COMPACT.exec(token)
  if (!parts || (parts[1] as string).length > MOST_HEADER_CHARACTERS) return undefined
  const [header, payload] = [readPart(parts[1] as string), readPart(parts[2] as string)]
  if (!header || !payload || !isCanonical(parts[3] as string)) return undefined
  if (REFUSED_HEADERS.some((name) => Object.hasOwn(header, name))) return undefined
  if (Object.keys(payload).length > MOST_CLAIMS) return undefined
  const { alg, kid, typ } = header
  if (typeof alg !== "string" || !isKid(kid) || !isOptionalText(typ)) return undefined
  return { algorithm: alg, kid, type: typ, issuer: typeof payload.iss === "string" ? payload.iss : undefined }
}

const isKid = (kid: unknown): kid is string | undefined =>
  kid === undefined || (typeof kid === "string" && isSafeKid(kid))

export const isSafeKid = (kid: string): boolean => KID.test(kid)

const isOptionalText = (value: unknown): value is string | undefined => value === undefined || typeof value === "string"

/** The last character has bits that decoders ignore: one token must not have several spellings. */
const isCanonical = (part: string): boolean => Buffer.from(part, "base64url").toString("base64url") === part

function readPart(part: string): Record<string, unknown> | undefined {
  if (!isCanonical(part)) return undefined
  try {
    const value: unknown = JSON.parse(utf8.decode(Buffer.from(part, "base64url")))
    return typeof value === "object" && value !== null && !Array.isArray(value)
      ? (value as Record<string, unknown>)
      : undefined
  } catch {
    return undefined
  }
}

/** A byte order mark is no white space of JSON: it stays, and is refused. */
const utf8 = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true })
